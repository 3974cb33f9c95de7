import { describe, expect, it } from 'vitest';
import { RequestError } from '../domain/error.ts';
import {
  choice,
  flag,
  integer,
  nullableInteger,
  type Parameters,
  parseParameters,
  patternList,
  positiveNumber,
  requiredText,
  text,
  textList,
} from './parameters.ts';

const parameters = {
  query: textList('', {}),
  limit: integer('', { min: 1, max: 1000, absent: 50 }),
  method: choice('', { values: ['exact', 'similar'], absent: 'similar' }),
  exclude_nulls: flag('', { absent: false }),
  color_threshold: nullableInteger('', { min: 0, max: 50 }),
  threshold: positiveNumber('', { absent: 1000 }),
  notes: text(''),
  asin: patternList('', {
    required: false,
    rule: 'ten letters and digits',
    pattern: '',
    example: 'B0CHX1W1XY',
    read: (value) => (/^[A-Z0-9]{10}$/i.test(value) ? value.toUpperCase() : undefined),
  }),
};

function read(queryString: string) {
  return parseParameters(parameters, queryString);
}

function fault(queryString: string, of: Parameters = parameters): { message: string; hint: string | undefined } {
  try {
    parseParameters(of, queryString);
  } catch (error) {
    if (error instanceof RequestError && error.code === 'INVALID_PARAMETERS') return error;
    throw error;
  }
  throw new Error(`"${queryString}" was accepted`);
}

describe('parameters', () => {
  it('have their defaults when absent', () => {
    expect(read('')).toEqual({
      query: [],
      limit: 50,
      method: 'similar',
      exclude_nulls: false,
      color_threshold: null,
      threshold: 1000,
      notes: undefined,
      asin: [],
    });
  });

  it('repeat for lists, with or without brackets; commas do not split; duplicates drop out in order', () => {
    expect(read('query=b&query[]=a&query%5B%5D=b&query=c,d').query).toEqual(['b', 'a', 'c,d']);
  });

  it('are decoded: plus is a space, percent-encoding is UTF-8', () => {
    expect(read('query=caf%C3%A9+cr%c3%a8me&query=a%2Bb').query).toEqual(['café crème', 'a+b']);
  });

  it('are trimmed and composed (NFC)', () => {
    expect(read('query=%20cafe%CC%81%20').query).toEqual(['café']);
  });

  it('name the nearest known one when unknown', () => {
    expect(fault('limits=5')).toMatchObject({ message: "Unknown parameter 'limits'.", hint: "Did you mean 'limit'?" });
    expect(fault('zzz=5').hint).toMatch(/^Known parameters: query, limit, /);
    expect(fault('zzz=5', {}).hint).toBe('This endpoint takes no parameters.');
    expect(fault('__proto__=1').message).toBe("Unknown parameter '__proto__'.");
    expect(fault('toString=1').message).toBe("Unknown parameter 'toString'.");
  });

  it('that are scalar may be given once only', () => {
    expect(fault('limit=5&limit=5').message).toBe("Parameter 'limit' is given more than once.");
  });
});

describe('integers', () => {
  it.each([
    '0x10',
    '1e2',
    '+5',
    ' 10 ',
    '%2010',
    '010',
    '10.0',
    '-1',
    '',
    'ten',
    '٣',
    '00000000001',
    '1_0',
    'NaN',
    'Infinity',
  ])('refuse %j', (value) =>
    expect(fault(`limit=${value}`).message).toMatch(/^Parameter 'limit' must be an integer from 1 to 1000, but is /),
  );

  it('keep their range, both ends included', () => {
    expect([read('limit=1').limit, read('limit=1000').limit]).toEqual([1, 1000]);
    expect(fault('limit=0').message).toBe("Parameter 'limit' must be an integer from 1 to 1000, but is '0'.");
    expect(fault('limit=1001')).toMatchObject({ hint: 'Use for example limit=50.' });
  });

  it('that may be null take an empty value and "null" for none', () => {
    expect(['', 'null', '0', '50'].map((value) => read(`color_threshold=${value}`).color_threshold)).toEqual([
      null,
      null,
      0,
      50,
    ]);
    expect(fault('color_threshold=51').message).toContain('an integer from 0 to 50');
    expect(fault('color_threshold=NULL').message).toContain("'NULL'");
  });
});

describe('other scalars', () => {
  it('are exactly one of their choices', () => {
    expect(read('method=exact').method).toBe('exact');
    expect(fault('method=EXACT').message).toBe("Parameter 'method' must be one of 'exact', 'similar', but is 'EXACT'.");
  });

  it.each(['1', 'TRUE', 'yes', '', 'on'])('refuse %j as a boolean', (value) =>
    expect(fault(`exclude_nulls=${value}`).message).toContain("must be 'true' or 'false'"),
  );

  it('read numbers above zero', () => {
    expect(['0.5', '12.000001', '0.00000001'].map((text) => read(`threshold=${text}`).threshold)).toEqual([
      0.5, 12.000001, 1e-8,
    ]);
    for (const bad of ['0', '0.0', '-1', '1e3', '.5', '5.', '01', '99999999999']) fault(`threshold=${bad}`);
  });
});

describe('text', () => {
  it('has at most 256 characters, counted as people count them', () => {
    expect(read(`notes=${'😀'.repeat(256)}`.replaceAll('😀', '%F0%9F%98%80')).notes).toHaveLength(512);
    expect(fault(`notes=${'a'.repeat(257)}`).message).toBe(
      "Parameter 'notes' has 257 characters, and at most 256 are allowed.",
    );
  });

  it.each(['', '%20', '%09%0A', '%E2%80%8B', '%EF%BF%BC', '%C2%A0'])('refuses the blank %j', (value) =>
    expect(fault(`query=${value}`).message).toBe("Parameter 'query' is blank."),
  );

  it('may be left out when it is blank, unless it must be there', () => {
    const optional = "Give 'notes' at least one visible character, or leave it out.";
    expect(fault('notes=%20').hint).toBe(optional);
    expect(fault('query=%20').hint).toBe(optional.replace('notes', 'query'));
    const required = { term: requiredText('', {}), query: textList('', { required: true }) };
    expect(fault('term=%20&query=a', required).hint).toBe("Give 'term' at least one visible character.");
    expect(fault('term=a&query=%20', required).hint).toBe("Give 'query' at least one visible character.");
  });

  it('comes in lists of at most 50', () => {
    const list = (count: number) => Array.from({ length: count }, (_, index) => `query=w${index}`).join('&');
    expect(read(list(50)).query).toHaveLength(50);
    expect(fault(list(51)).message).toBe("Parameter 'query' has 51 values, and at most 50 are allowed.");
  });

  it('is shown in messages without what could disturb a terminal, and shortened', () => {
    expect(fault('method=%1b[31m%E2%80%AE').message).toContain("'\uFFFD[31m\uFFFD'");
    expect(fault(`method=${'x'.repeat(100)}`).message).toContain(`'${'x'.repeat(40)}…'`);
  });
});
