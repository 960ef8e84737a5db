import type { WriteStream } from "node:tty";
import { styleText } from "node:util";
import stringWidth from "string-width";
import { onOneLine, toJson, withoutControls } from "./text.ts";

type Style = Parameters<typeof styleText>[0];

/** Where a command reads and writes. */
export interface Streams {
  readonly stdin: NodeJS.ReadStream;
  readonly stdout: NodeJS.WriteStream;
  readonly stderr: NodeJS.WriteStream;
}

const DEFAULT_COLUMNS = 100;
const MIN_COLUMNS = 40;
const GAP = "  ";
const BAR_CELLS = 24;

function takesColour(stream: Pick<WriteStream, "isTTY">, env: NodeJS.ProcessEnv): boolean {
  return !env["NO_COLOR"] && env["TERM"] !== "dumb" && (Boolean(env["FORCE_COLOR"]) || stream.isTTY);
}

/** A column of a table. */
export interface Column<Row> {
  readonly title: string;
  readonly of: (row: Row) => string;
  /** The one that gives way when the terminal is narrow. */
  readonly shrinks?: true;
  readonly style?: (row: Row) => Style | undefined;
}

/** Results go to the standard output, everything else to the standard error, so that a pipe gets results only. */
export class Terminal {
  readonly streams: Streams;
  readonly isJson: boolean;
  /** Whether a person can be asked. */
  readonly isInteractive: boolean;
  readonly #env: NodeJS.ProcessEnv;

  constructor(streams: Streams, env: NodeJS.ProcessEnv, isJson: boolean) {
    this.streams = streams;
    this.isJson = isJson;
    this.isInteractive = !(env["CI"] || !streams.stdin.isTTY || !streams.stderr.isTTY);
    this.#env = env;
  }

  #columns(): number {
    return Math.max(MIN_COLUMNS, this.streams.stdout.columns ?? Number(this.#env["COLUMNS"] ?? DEFAULT_COLUMNS));
  }

  paint(text: string, style: Style | undefined, stream: "stdout" | "stderr" = "stdout"): string {
    return style && takesColour(this.streams[stream], this.#env)
      ? styleText(style, text, { validateStream: false })
      : text;
  }

  /** A line of the result, for people. */
  line(text = ""): void {
    if (!this.isJson) {
      this.streams.stdout.write(`${text}\n`);
    }
  }

  /** What the person should know beside the result. */
  note(text: string): void {
    if (!this.isJson) {
      this.streams.stderr.write(`${text}\n`);
    }
  }

  /** The result, for programs: the only thing that `--json` writes to the standard output. */
  json(value: unknown): void {
    if (this.isJson) {
      this.streams.stdout.write(`${toJson(value, 2)}\n`);
    }
  }

  /** One of many results, each on its own line. */
  jsonLine(value: unknown): void {
    if (this.isJson) {
      this.streams.stdout.write(`${toJson(value)}\n`);
    }
  }

  /** Rows under titles. Where the terminal is too narrow for them, each row is a few lines. */
  table<Row>(rows: readonly Row[], columns: readonly Column<Row>[], write = (text: string) => this.line(text)): void {
    const cells = rows.map((row) => columns.map(({ of }) => onOneLine(of(row))));
    const widths = columns.map(({ title }, index) =>
      Math.max(stringWidth(title), ...cells.map((row) => stringWidth(row[index] ?? ""))),
    );
    const available = this.#columns();
    const total = widths.reduce((sum, width) => sum + width, GAP.length * (columns.length - 1));
    const flexible = columns.findIndex(({ shrinks }) => shrinks);
    const minimum = flexible === -1 ? 0 : Math.min(widths[flexible] ?? 0, 16);
    const flexibleWidth = (widths[flexible] ?? 0) - Math.max(0, total - available);
    if (total > available && flexibleWidth < minimum) {
      this.#cards(rows, columns, write);
      return;
    }
    if (flexible !== -1) {
      widths[flexible] = Math.min(widths[flexible] ?? 0, flexibleWidth);
    }
    const format = (texts: readonly string[], style: (index: number) => Style | undefined) =>
      texts
        .map((text, index) => {
          const width = widths[index] ?? 0;
          const cut = truncate(text, width);
          const padding = index === texts.length - 1 ? "" : " ".repeat(Math.max(0, width - stringWidth(cut)));
          return this.paint(cut, style(index)) + padding;
        })
        .join(GAP)
        .trimEnd();
    write(
      format(
        columns.map(({ title }) => title),
        () => "bold",
      ),
    );
    for (const [number, row] of rows.entries()) {
      write(format(cells[number] ?? [], (index) => columns[index]?.style?.(row)));
    }
  }

  #cards<Row>(rows: readonly Row[], columns: readonly Column<Row>[], write: (text: string) => void): void {
    const titles = Math.max(...columns.map(({ title }) => stringWidth(title)));
    for (const [number, row] of rows.entries()) {
      if (number > 0) {
        write("");
      }
      for (const { title, of, style } of columns) {
        const text = truncate(onOneLine(of(row)), this.#columns() - titles - GAP.length);
        if (text !== "") {
          write(`${this.paint(title.padEnd(titles), "bold")}${GAP}${this.paint(text, style?.(row))}`);
        }
      }
    }
  }

  /** Words of somebody else, on lines of at most the width of the terminal. */
  quote(text: string, write = (quoted: string) => this.line(quoted)): void {
    const width = this.#columns() - 2;
    for (const paragraph of withoutControls(text).replaceAll("\t", "    ").split("\n")) {
      for (const part of wrap(paragraph, width)) {
        write(`  ${part}`);
      }
    }
  }

  /** Draws how far something is, over the line before; nothing where nobody watches. */
  progress(label: string, done: number, total: number): void {
    if (!this.streams.stderr.isTTY || this.isJson) {
      return;
    }
    const share = total === 0 ? 1 : done / total;
    const filled = Math.round(share * BAR_CELLS);
    const bar = `${"█".repeat(filled)}${"░".repeat(BAR_CELLS - filled)}`;
    const figures = `${String(Math.floor(share * 100)).padStart(3)} %`;
    const name = truncate(onOneLine(label), Math.max(8, this.#columns() - BAR_CELLS - figures.length - 6));
    this.streams.stderr.write(`\r${name}  ${bar}  ${figures}${share >= 1 ? "\n" : ""}`);
  }
}

/** The text in at most so many columns, with an ellipsis where something is missing. */
function truncate(text: string, width: number): string {
  if (stringWidth(text) <= width) {
    return text;
  }
  let cut = "";
  for (const { segment } of new Intl.Segmenter().segment(text)) {
    if (stringWidth(cut + segment) > width - 1) {
      break;
    }
    cut += segment;
  }
  return `${cut}…`;
}

function wrap(text: string, width: number): string[] {
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(/(?<= )/)) {
    if (line !== "" && stringWidth((line + word).trimEnd()) > width) {
      lines.push(line.trimEnd());
      line = "";
    }
    line += word;
    while (stringWidth(line.trimEnd()) > width) {
      const head = truncate(line, width + 1).slice(0, -1);
      lines.push(head);
      line = line.slice(head.length);
    }
  }
  return [...lines, line.trimEnd()];
}
