import { describe, expect, it } from 'vitest';
import { stemEnglish } from './stemmer.ts';

// word:stem as `SELECT ts_lexize('english_stem', word)` of PostgreSQL 18 gives them, with the stop words switched off.
const PARITY = `
shoes:shoe shoe:shoe running:run runner:runner runs:run earbuds:earbud
earbud:earbud wireless:wireless headphones:headphon batteries:batteri battery:batteri charging:charg
charger:charger charged:charg chargers:charger kids:kid kid:kid womens:women
women:women mens:men men:men dresses:dress dress:dress boxes:box
box:box knives:knive knife:knife candles:candl candle:candl organizers:organ
organizer:organ organization:organ gaming:game games:game game:game cases:case
case:case covers:cover phones:phone decorations:decor decorating:decor decorated:decor
decor:decor lights:light lighting:light lighted:light bottles:bottl bottle:bottl
bags:bag shelves:shelv shelf:shelf toys:toy toy:toy berries:berri
berry:berri puppies:puppi puppy:puppi dishes:dish dishwasher:dishwash washing:wash
washed:wash sunglasses:sunglass glasses:glass glass:glass skis:ski skies:sky
dying:die lying:lie news:news bias:bias atlas:atlas cosmos:cosmos
earring:earring earrings:earring herring:herring inning:inning outing:outing proceed:proceed
succeed:succeed adding:add added:add egg:egg eggs:egg generously:generous
generic:generic general:general communities:communiti communication:communic arsenal:arsenal happily:happili
happiness:happi hopeful:hope hopefulness:hope relational:relat rational:ration conditional:condit
vietnamization:vietnam digitizer:digit predication:predic operator:oper feudalism:feudal decisiveness:decis
callousness:callous formality:formal sensitivity:sensit sensibility:sensibl triplicate:triplic formative:format
formalize:formal electricity:electr electrical:electr goodness:good revival:reviv allowance:allow
inference:infer airliner:airlin adjustable:adjust defensible:defens replacement:replac adjustment:adjust
dependent:depend adoption:adopt communism:communism activate:activ effective:effect bowdlerize:bowdler
rate:rate cease:ceas roll:roll controlled:control yes:yes youth:youth
boy:boy boyish:boyish enjoy:enjoy tying:tie pies:pie tied:tie
ties:tie gas:gas this:this kiwis:kiwi gaps:gap luxuriated:luxuri
hoping:hope hopping:hop falling:fall hissing:hiss fizzed:fizz failing:fail
filing:file feed:feed agreed:agre bled:bled motoring:motor sing:sing
conflated:conflat troubled:troubl sized:size cry:cri by:by say:say
abilities:abil analogy:analog logically:logic fluently:fluentli
decoratively:decor vying:vy pedagogy:pedagogi usefulnesses:use sky:sky idly:idl ugly:ugli only:onli howe:howe
early:earli andes:andes gently:gentl singly:singl incredibly:incred agency:agenc infancy:infanc endlessly:endless
hydration:hydrat additionally:addit sensationalism:sensat communicativeness:communic cries:cri buses:buse
exceed:exceed usably:usabl diesel:diesel heeded:heed canning:canning equator:equat equally:equal blueing:blue
recently:recent activity:activ realizer:realiz toxicity:toxic admitted:admit hammering:hammer carefully:care
capitalize:capit realization:realiz educational:educ personality:person
`;

// Words that nobody uses, and that tell rules apart all the same.
const INVENTED = 'ayy:ayi thly:thli toteed:tote ageneric:agener humidificator:humidif';

describe('the English stemmer', () => {
  const pairs = `${PARITY} ${INVENTED}`
    .trim()
    .split(/\s+/)
    .map((pair) => pair.split(':'));

  it.each(pairs)('takes %s to %s, as PostgreSQL does', (word, stem) => {
    expect(stemEnglish(word ?? '')).toBe(stem);
  });

  it('leaves words of other scripts, of digits and of one or two letters alone', () => {
    for (const word of ['as', 's', 'crème', 'éclairs', 'rosés', '10', 'чехлы', 'ケース', 'b2bs'])
      expect(stemEnglish(word)).toBe(word);
  });
});
