/** Green: right. Yellow: works, or cannot be told; look at it. Red: does not work. */
export type State = "green" | "yellow" | "red";

/** One line of the table. */
export interface Row {
  readonly what: string;
  readonly state: State;
  /** What was found and, unless it is right, what to do. */
  readonly text: string;
}

export const green = (what: string, text: string): Row => ({ what, state: "green", text });
export const yellow = (what: string, text: string): Row => ({ what, state: "yellow", text });
export const red = (what: string, text: string): Row => ({ what, state: "red", text });

const MIN_TEXT_WIDTH = 40;
const DEFAULT_WIDTH = 140;
const COLORS: Readonly<Record<State, string>> = { green: "\u001b[32m", yellow: "\u001b[33m", red: "\u001b[31m" };
const RESET = "\u001b[0m";

function wrap(text: string, width: number): string[] {
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(" ")) {
    if (line !== "" && line.length + 1 + word.length > width) {
      lines.push(line);
      line = word;
    } else {
      line = line === "" ? word : `${line} ${word}`;
    }
  }
  return [...lines, line];
}

/** What · state · what to do, as wide as the terminal. */
export function toTable(rows: readonly Row[], { columns = DEFAULT_WIDTH, hasColors = false } = {}): string {
  const whatWidth = Math.max(0, ...rows.map(({ what }) => what.length));
  const stateWidth = "yellow".length;
  const textWidth = Math.max(MIN_TEXT_WIDTH, columns - whatWidth - stateWidth - 4);
  return rows
    .flatMap(({ what, state, text }) =>
      wrap(text, textWidth).map((line, at) => {
        const word = (at === 0 ? state : "").padEnd(stateWidth);
        const shown = hasColors && at === 0 ? `${COLORS[state]}${word}${RESET}` : word;
        return `${(at === 0 ? what : "").padEnd(whatWidth)}  ${shown}  ${line}`.trimEnd();
      }),
    )
    .join("\n");
}

export const countOf = (rows: readonly Row[], state: State): number => rows.filter((row) => row.state === state).length;
