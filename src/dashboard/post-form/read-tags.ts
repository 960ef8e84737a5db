import { isJsonObject, type JsonObject, type JsonValue } from "#core/json.ts";

/* Tagged accounts as lines of text: the name, then for a picture the distances from the left and the top, then the
   number of the file. */

const EXAMPLE = "ada.example, 0.5, 0.3";

interface ReadTag {
  readonly tag: JsonObject | null;
  readonly problem: string | null;
}

const ok = (tag: JsonObject): ReadTag => ({ tag, problem: null });
const bad = (problem: string): ReadTag => ({ tag: null, problem });

/** Reads a distance such as `0.5`, `.5` or `50%`. Null for other text. */
function distanceOf(text: string): number | null {
  const [, number, percent] = /^(\d{0,3}(?:\.\d{1,17})?)\s*(%?)$/.exec(text) ?? [];
  if (number === undefined || number === "") {
    return null;
  }
  const distance = percent === "%" ? Number(number) / 100 : Number(number);
  return distance >= 0 && distance <= 1 ? distance : null;
}

/** Reads the number of a file, counted from 1. Null for other text. */
const fileOf = (text: string): number | null => (/^[1-9]\d?$/.test(text) ? Number(text) : null);

function readTag(line: string): ReadTag {
  const [name = "", ...rest] = line.split(",").map((part) => part.trim());
  const username = name.replace(/^@/, "");
  if (!/^[A-Za-z0-9._]{1,30}$/.test(username)) {
    return bad(
      name === ""
        ? `it begins with no name: write it as ${EXAMPLE}`
        : `“${name}” is no user name; those have letters, digits, dots and underscores. Put commas between name and numbers, as in ${EXAMPLE}`,
    );
  }
  if (rest.length === 0) {
    return ok({ username });
  }
  if (rest.length === 1) {
    const file = fileOf(rest[0] ?? "");
    return file === null
      ? bad(`one number alone is that of the file, 1 for the first; a place on a picture has two, as in ${EXAMPLE}`)
      : ok({ username, media_index: file - 1 });
  }
  const [left = "", top = "", number, ...more] = rest;
  const [x, y] = [distanceOf(left), distanceOf(top)];
  if (x === null || y === null) {
    return bad(
      `“${x === null ? left : top}” is no distance: write how far from the left and from the top as 0.5 or 50%, as in ${EXAMPLE}`,
    );
  }
  const file = number === undefined ? null : fileOf(number);
  if (more.length > 0 || (number !== undefined && file === null)) {
    return bad(`after the two distances comes only the number of the file, 1 for the first, as in ${EXAMPLE}, 2`);
  }
  return ok({ username, x, y, ...(file !== null && { media_index: file - 1 }) });
}

const linesOf = (text: string): readonly string[] => text.split("\n").map((line) => line.trim());

export function readTags(text: string): readonly JsonObject[] {
  return linesOf(text)
    .filter((line) => line !== "")
    .map((line) => readTag(line).tag)
    .filter((tag) => tag !== null);
}

/** The problems of the lines that are no valid tags. */
export function tagProblems(text: string): readonly string[] {
  return linesOf(text).flatMap((line, index) => {
    const problem = line === "" ? null : readTag(line).problem;
    return problem === null ? [] : [`Line ${index + 1}: ${problem}.`];
  });
}

/** Writes a tag as the line of text from which it can be read again. */
export function tagInWords(tag: JsonValue): string {
  if (!isJsonObject(tag)) {
    return "";
  }
  const { username, x, y, media_index: index } = tag;
  return [username, x, y, typeof index === "number" ? index + 1 : null]
    .filter((part) => typeof part === "string" || typeof part === "number")
    .join(", ");
}
