"""Reads a workbook with nothing of ours and prints it as JSON.

  read-workbook.py parts FILE     the archive and its XML, with the standard library only
  read-workbook.py openpyxl FILE  what openpyxl makes of it
"""
import json
import sys
import xml.etree.ElementTree as tree
import zipfile

MAIN = '{http://schemas.openxmlformats.org/spreadsheetml/2006/main}'


def local(tag):
    return tag.rsplit('}', 1)[-1]


def sheet_cells(root):
    cells = {}
    for cell in root.iter(MAIN + 'c'):
        value = cell.find(MAIN + 'v')
        text = cell.find(f'{MAIN}is/{MAIN}t')
        assert cell.get('r') not in cells, cell.get('r')
        cells[cell.get('r')] = {
            'type': cell.get('t', 'n'),
            'value': None if value is None else value.text,
            'text': None if text is None else text.text or '',
            'children': sorted({local(child.tag) for child in cell.iter()} - {'c'}),
        }
    return cells


def parts(path):
    with zipfile.ZipFile(path) as archive:
        assert archive.testzip() is None
        roots = {name: tree.fromstring(archive.read(name)) for name in archive.namelist()}
        return {
            'entries': [{'name': entry.filename, 'at': list(entry.date_time)} for entry in archive.infolist()],
            'elements': {name: sorted({local(element.tag) for element in root.iter()}) for name, root in roots.items()},
            'order': [local(child.tag) for child in roots['xl/worksheets/sheet1.xml']],
            'targets': sorted(
                [relation.get('Target'), relation.get('TargetMode')]
                for name, root in roots.items()
                if name.endswith('.rels')
                for relation in root
            ),
            'keywords': sheet_cells(roots['xl/worksheets/sheet1.xml']),
            'about': sheet_cells(roots['xl/worksheets/sheet2.xml']),
        }


def by_openpyxl(path):
    import openpyxl

    book = openpyxl.load_workbook(path)
    sheet = book.worksheets[0]
    return {
        'sheets': book.sheetnames,
        'dimensions': sheet.dimensions,
        'frozen': sheet.freeze_panes,
        'filter': sheet.auto_filter.ref,
        'widths': {letter: sheet.column_dimensions[letter].width for letter in ('A', 'B')},
        'rows': [[cell.value for cell in row] for row in sheet.iter_rows()],
        'types': [[cell.data_type for cell in row] for row in sheet.iter_rows()],
        'formats': [[cell.number_format for cell in row] for row in sheet.iter_rows()],
        'fills': [[cell.fill.fgColor.rgb[2:] if cell.fill.fill_type else None for cell in row] for row in sheet.iter_rows()],
        'about': [[str(value) if value is not None else None for value in row] for row in book['About'].iter_rows(values_only=True)],
        'links': len(sheet._hyperlinks),
    }


print(json.dumps({'parts': parts, 'openpyxl': by_openpyxl}[sys.argv[1]](sys.argv[2])))
