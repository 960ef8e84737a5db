/**
 * Marks that a search ignores: above and below Latin, Greek and Cyrillic letters; Hebrew points; Arabic vowels, hamzas
 * and the tatweel.
 */
const MARKS = /[\u0300-\u036F\u0591-\u05C7\u0610-\u061A\u0640\u064B-\u065F\u0670]/g;
/**
 * Characters that nobody sees or types, so that a search ignores them: soft hyphens, zero-width characters, emoji
 * variation selectors.
 */
const UNSEEN = /\u00AD|[\u200B-\u200F]|\u2060|\uFE0E|\uFE0F|\uFEFF/g;
const FULL_WIDTH = /[\uFF01-\uFF5E]/g;
const FULL_WIDTH_OFFSET = 0xfe_e0;
const OTHER_LETTERS = new Map([
  ...Object.entries({ ø: "o", ł: "l", đ: "d", ð: "d", þ: "th", æ: "ae", œ: "oe", ħ: "h", ς: "σ" }),
  ...Object.entries({ "’": "'", "‘": "'", "“": '"', "”": '"' }),
]);
const OTHER = /[øłđðþæœħς’‘“”]/g;

/**
 * Folds a text for searches: without case, accents and the widths of East Asian forms. Marks that change a letter stay,
 * such as the dakuten of Japanese or the vowels of Hindi. A part of a text folds to a part of the folded text, so that
 * searches for parts work.
 */
export function foldText(text: string): string {
  return text
    .normalize("NFD")
    .replace(MARKS, "")
    .normalize("NFC")
    .replace(FULL_WIDTH, (character) => String.fromCodePoint(character.charCodeAt(0) - FULL_WIDTH_OFFSET))
    .replace(UNSEEN, "")
    .toUpperCase()
    .toLowerCase()
    .replace(OTHER, (character) => OTHER_LETTERS.get(character) ?? character);
}
