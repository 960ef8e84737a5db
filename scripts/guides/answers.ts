/*
 * Compares an answer as a guide shows it with the one that came. What differs from run to run is compared by its shape: ids, times,
 * tokens, signatures. The same id or time in a guide must be the same one in the answers. `…` stands for what the guide leaves out: as (part
 * of) a text, as a member `"…": "…"` for further members, as the last entry of a list for further entries, as a line for lines.
 */

const INSTANT = String.raw`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{3})?Z`;
/** A slot in a line of JSON; the guides have them in Berlin. */
const SLOT = new RegExp(`(?:"scheduled_at":"(${INSTANT})",)?"local_time":"([^"]*)"`, "g");
const SLOT_ZONE = "Europe/Berlin";

/** Two names in a guide mean two different things, but two times may be the same. */
const KINDS: readonly (readonly [name: string, pattern: string, isUnique: boolean])[] = [
  // The time of day is compared as it is.
  ["day of a slot", String.raw`(?<="local_time":")\d{4}-\d\d-\d\d(?=T)`, false],
  ["instant", INSTANT, false],
  ["event id", "evt_[0-9a-z]+_[0-9a-f]{32}", true],
  ["id", "[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}", true],
  ["webhook secret", "whsec_[0-9A-Za-z+/]{43}=", true],
  ["credential", "al[karcos]_[0-9A-Za-z]{49}", true],
  ["hash", String.raw`(?<![0-9A-Za-z_-])[0-9a-f]{64}(?![0-9A-Za-z_-])`, true],
  ["token", String.raw`(?<![0-9A-Za-z_-])[0-9A-Za-z_-]{43}(?![0-9A-Za-z_-])`, true],
];

/** Numbers that are measured or counted up across runs. */
const MEASURED = /(?:^|_)(?:ms|seq|after)$/;
const LEFT_OUT = "…";

/** Maps each example value of a guide to the real value, for the whole guide. */
export class Names {
  readonly #actual = new Map<string, string>();
  readonly #shown = new Map<string, string>();

  /** Whether the guide's word for a thing stands for this thing, as it did before; no other word does, when it is unique. */
  agree(shown: string, actual: string, isUnique: boolean): boolean {
    const known = this.#actual.get(shown) ?? actual;
    const knownFrom = (isUnique ? this.#shown.get(actual) : undefined) ?? shown;
    this.#actual.set(shown, known);
    this.#shown.set(actual, knownFrom);
    return known === actual && knownFrom === shown;
  }
}

const escape = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\/-]/g, String.raw`\$&`);
const ANY_KIND = new RegExp([...KINDS.map(([, pattern]) => `(${pattern})`), `(${LEFT_OUT})`].join("|"), "g");

function problemOfText(shown: string, actual: string, names: Names): string | null {
  const named: { readonly word: string; readonly isUnique: boolean }[] = [];
  let pattern = "";
  let last = 0;
  for (const match of shown.matchAll(ANY_KIND)) {
    pattern += escape(shown.slice(last, match.index));
    last = match.index + match[0].length;
    const kind = KINDS[match.slice(1).findIndex((group) => group !== undefined)];
    if (kind !== undefined) {
      named.push({ word: match[0], isUnique: kind[2] });
    }
    pattern += kind === undefined ? "[^]*?" : `(${kind[1]})`;
  }
  const found = new RegExp(`^${pattern}${escape(shown.slice(last))}$`).exec(actual);
  if (found === null) {
    return `the guide shows ${JSON.stringify(shown)}, the answer is ${JSON.stringify(actual)}`;
  }
  const other = named.find(({ word, isUnique }, index) => !names.agree(word, found[index + 1] ?? "", isUnique));
  if (other !== undefined) {
    return `${other.word} stands for another thing elsewhere in the guide`;
  }
  const wrong = actual.matchAll(SLOT).find(([, instant, local]) => local !== localTimeOf(instant));
  return wrong === undefined ? null : `${wrong[0]} is not one time in ${SLOT_ZONE}`;
}

/** As `2026-12-01T09:30`. */
const localTimeOf = (instant: string | undefined): string | null =>
  instant === undefined
    ? null
    : new Date(instant).toLocaleString("sv-SE", { timeZone: SLOT_ZONE }).slice(0, 16).replace(" ", "T");

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

function listProblems(
  shown: readonly unknown[],
  actual: readonly unknown[],
  path: string,
  names: Names,
): readonly string[] {
  const isOpen = shown.at(-1) === LEFT_OUT;
  const entries = isOpen ? shown.slice(0, -1) : shown;
  if (isOpen ? actual.length < entries.length : actual.length !== entries.length) {
    return [`${path}: the guide shows ${entries.length} entries, the answer has ${actual.length}`];
  }
  return entries.flatMap((entry, index) => jsonProblems(entry, actual[index], `${path}[${index}]`, names));
}

function memberProblems(
  shown: Readonly<Record<string, unknown>>,
  actual: Readonly<Record<string, unknown>>,
  path: string,
  names: Names,
): readonly string[] {
  const unseen = LEFT_OUT in shown ? [] : Object.keys(actual).filter((name) => !(name in shown));
  return [
    ...unseen.map((name) => `${path}.${name}: the guide does not show it`),
    ...Object.entries(shown)
      .filter(([name]) => name !== LEFT_OUT)
      .flatMap(([name, value]) =>
        name in actual
          ? typeof value === "number" && typeof actual[name] === "number" && MEASURED.test(name)
            ? []
            : jsonProblems(value, actual[name], `${path}.${name}`, names)
          : [`${path}.${name}: the answer does not have it`],
      ),
  ];
}

/** What differs between a JSON value in a guide and the one that came. */
function jsonProblems(shown: unknown, actual: unknown, path: string, names: Names): readonly string[] {
  if (shown === LEFT_OUT) {
    return [];
  }
  if (Array.isArray(shown) && Array.isArray(actual)) {
    return listProblems(shown, actual, path, names);
  }
  if (isObject(shown) && isObject(actual)) {
    return memberProblems(shown, actual, path, names);
  }
  if (typeof shown === "string" && typeof actual === "string") {
    const problem = problemOfText(shown, actual, names);
    return problem === null ? [] : [`${path}: ${problem}`];
  }
  return shown === actual
    ? []
    : [`${path}: the guide shows ${JSON.stringify(shown)}, the answer is ${JSON.stringify(actual)}`];
}

/** What differs between a text in a guide and the one that came. */
function textProblems(shown: string, actual: string, names: Names): readonly string[] {
  const problem = problemOfText(shown.trim(), actual.replaceAll(/ +$/gm, "").trim(), names);
  return problem === null ? [] : [problem];
}

/** Compares what a command printed with the block that shows it. */
export function answerProblems(language: string, shown: string, actual: string, names: Names): readonly string[] {
  if (language === "text") {
    return textProblems(shown, actual, names);
  }
  let wanted: unknown;
  try {
    wanted = JSON.parse(shown);
  } catch {
    return ["the block is no JSON"];
  }
  try {
    return jsonProblems(wanted, JSON.parse(actual), "answer", names);
  } catch {
    return [`the answer is no JSON: ${actual.slice(0, 500)}`];
  }
}
