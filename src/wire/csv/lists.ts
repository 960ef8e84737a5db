/** Splits a cell into values: by lines or vertical bars, or by commas if it has neither. */
export function splitList(cell: string): string[] {
  return valuesOf(cell, /[\n|]/.test(cell) ? /[\n|]/ : /[,;]/);
}

/** Addresses may contain commas, but no spaces. */
export function splitAddresses(cell: string): string[] {
  return valuesOf(cell, /[\s|]+/);
}

function valuesOf(cell: string, separator: RegExp): string[] {
  return cell
    .split(separator)
    .map((value) => value.trim())
    .filter((value) => value !== "");
}

/** Texts for the addresses, in the same order; an empty text means no description. */
export function splitTexts(cell: string): string[] {
  return cell.trim() === "" ? [] : cell.split(/[\n|]/).map((value) => value.trim());
}
