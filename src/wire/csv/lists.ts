/** Splits a cell into values: at lines or vertical bars, or at commas if it has neither. */
export function splitList(cell: string): string[] {
  return valuesOf(cell, /[\n|]/.test(cell) ? /[\n|]/ : /[,;]/);
}

/** Splits a cell into URLs at spaces, because URLs may contain commas but no spaces. */
export function splitAddresses(cell: string): string[] {
  return valuesOf(cell, /[\s|]+/);
}

function valuesOf(cell: string, separator: RegExp): string[] {
  return cell
    .split(separator)
    .map((value) => value.trim())
    .filter((value) => value !== "");
}

/** Splits a cell into descriptions for the files, in the same order. An empty text means no description. */
export function splitTexts(cell: string): string[] {
  return cell.trim() === "" ? [] : cell.split(/[\n|]/).map((value) => value.trim());
}
