// How sellers write product titles: # is the noun. As with search terms, a pattern applies to every family that has all of
// its slots, and "{brand} #, {detail}" applies to all.

export const TITLE_PATTERNS: readonly string[] = [
  '{brand} #, {detail}, {detail}',
  '{brand} {model} # - {detail}, {detail}',
  '{brand} {style} #, {detail}, {detail}, {color}',
  '{brand} {style} # {use}, {detail}, {detail}',
  '{brand} {whose} {style} # {detail}, {color}',
  '{brand} {whose} # - {detail} {material} {style}, {color}, {size}',
  '{brand} {whose} {style} # {use} {detail}, {size}',
  '{brand} # Compatible with {device}, {detail}, {detail}, {color}',
  '{brand} {device} # {style} | {detail} | {detail}',
  '{brand} # {size}, {detail}, {detail}, {use}',
  '{style} # by {brand} - {detail} - {size} ({pack})',
  '{brand} {material} # {use}, {detail}, {detail}, {color}',
  '{pack} {brand} {style} #, {detail} {use}',
  '{brand} {model} {style} # ({detail}, {detail})',
];
