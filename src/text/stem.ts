/** Forms of one word share a stem: light rules that leave out endings, by language. */
import { ENGLISH, LANGUAGES, type Language } from "./languages.ts";

const STEM_MIN = 4;

/** Of the words that people ask about in another tense than they were said in. */
const IRREGULAR =
  "ate:eat became:become began:begin begun:begin bought:buy broke:break broken:break brought:bring built:build " +
  "came:come caught:catch children:child chose:choose chosen:choose drank:drink drew:draw driven:drive drove:drive " +
  "eaten:eat fell:fall felt:feel found:find flew:fly forgot:forget forgotten:forget gave:give given:give gone:go " +
  "got:get grew:grow grown:grow heard:hear held:hold kept:keep knew:know known:know learnt:learn left:leave " +
  "lost:lose made:make meant:mean men:man met:meet paid:pay people:person ran:run read:read rode:ride said:say " +
  "sang:sing sat:sit saw:see seen:see sent:send slept:sleep sold:sell spent:spend spoke:speak spoken:speak " +
  "stood:stand stolen:steal swam:swim taken:take taught:teach told:tell thought:think threw:throw took:take " +
  "understood:understand went:go women:woman won:win wore:wear written:write wrote:write";
const irregular: ReadonlyMap<string, string> = new Map(
  IRREGULAR.split(" ").map((pair) => pair.split(":") as [string, string]),
);

const IRREGULAR_CHARS_MAX = 10;
const VOWEL = /[aeiouy]/;

function stemEnglish(word: string): string {
  const base = word.length > IRREGULAR_CHARS_MAX ? word : (irregular.get(word) ?? word);
  if (base.length <= 3) return base;
  return withoutE(withoutEnding(singular(base)));
}

function singular(word: string): string {
  if (!word.endsWith("s") || /(?:ss|us|is)$/.test(word)) return word;
  if (word.endsWith("ies") && word.length > 4) return `${word.slice(0, -3)}y`;
  return /(?:x|ch|sh|ss|zz)es$/.test(word) ? word.slice(0, -2) : word.slice(0, -1);
}

function withoutEnding(word: string): string {
  if (word.endsWith("ing") && word.length > 5) return verbStem(word, 3);
  if (word.endsWith("ied") && word.length > 4) return `${word.slice(0, -3)}y`;
  if (word.endsWith("ed") && word.length > 4 && !word.endsWith("eed")) return verbStem(word, 2);
  if (word.endsWith("ly") && word.length > 5) return word.slice(0, -2);
  return word;
}

function verbStem(word: string, length: number): string {
  const stem = word.slice(0, -length);
  if (!VOWEL.test(stem)) return word;
  const [last, before] = [stem.at(-1), stem.at(-2)];
  return last === before && !"lsz".includes(last as string) ? stem.slice(0, -1) : stem;
}

/** "make" and "making" meet without it. */
function withoutE(word: string): string {
  return word.endsWith("e") && word.length > 3 ? word.slice(0, -1) : word;
}

function stemOther(word: string, { beginnings, endings, truncate, stemMin = STEM_MIN }: Language): string {
  if (truncate !== undefined) return word.slice(0, truncate);
  const article = beginnings?.find((part) => word.startsWith(part) && word.length - part.length >= stemMin);
  const bare = article === undefined ? word : word.slice(article.length);
  const ending = endings?.find((part) => bare.endsWith(part) && bare.length - part.length >= stemMin);
  return ending === undefined ? bare : bare.slice(0, -ending.length);
}

const HAS_DIGIT = /\d/;

/** The stem of a folded word in one of `LANGUAGES`. Words with digits have no forms. */
export function stem(word: string, language: number): string {
  if (HAS_DIGIT.test(word)) return word;
  return language === ENGLISH ? stemEnglish(word) : stemOther(word, LANGUAGES[language] as Language);
}
