/** Several values of a cell: one a line or between upright strokes, or, where there is neither, between commas. */
export function splitList(cell: string): string[] {
  return valuesOf(cell, /[\n|]/.test(cell) ? /[\n|]/ : /[,;]/);
}

/** Addresses may have commas, but no spaces. */
export function splitAddresses(cell: string): string[] {
  return valuesOf(cell, /[\s|]+/);
}

function valuesOf(cell: string, separator: RegExp): string[] {
  return cell
    .split(separator)
    .map((value) => value.trim())
    .filter((value) => value !== "");
}

/** Texts that belong to the addresses in their order: an empty one is one that is not described. */
export function splitTexts(cell: string): string[] {
  return cell.trim() === "" ? [] : cell.split(/[\n|]/).map((value) => value.trim());
}
