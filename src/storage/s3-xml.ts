// What is read of S3's answers: a few flat elements. Names below our own prefix are plain ASCII, so no parser is needed for them.
const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

export function readElement(xml: string, name: string): string | undefined {
  return readElements(xml, name)[0];
}

/** The texts between the tags, in order, entities resolved. */
export function readElements(xml: string, name: string): readonly string[] {
  const tags = new RegExp(`<${name}(?:\\s[^>]*)?>([\\s\\S]*?)</${name}>`, 'g');
  return [...xml.matchAll(tags)].map(([, text = '']) => (text.includes('<') ? text : decode(text)));
}

function decode(text: string): string {
  return text.replace(/&(?:#(\d+)|#x([0-9a-fA-F]+)|(\w+));/g, (whole, decimal, hex, word) => {
    if (word) return ENTITIES[word] ?? whole;
    return String.fromCodePoint(Number.parseInt(decimal ?? hex, decimal ? 10 : 16));
  });
}
