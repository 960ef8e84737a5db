/*
 * The blocks of code in a guide. A `sh` block is run; a `json` or `text` block after it is the answer that it must give; a block in
 * another language is a file, whose name stands in its first line. ` ```sh not-run ` marks what cannot be run here.
 */

/** A piece of code in a guide. */
interface Block {
  /** The line of the opening fence, from 1. */
  readonly line: number;
  readonly language: string;
  readonly isMarked: boolean;
  readonly text: string;
}

/** What the shell does with a guide, in its order. */
export interface Step {
  readonly command: Block;
  /** Files that the reader has saved before. */
  readonly files: readonly { readonly name: string; readonly text: string }[];
  readonly answer: Block | null;
}

export interface GuidePlan {
  readonly steps: readonly Step[];
  readonly notRun: readonly Block[];
}

const NOT_RUN = "not-run";
const ANSWERS: ReadonlySet<string> = new Set(["json", "text"]);
const FILE_NAME = /^(?:#|\/\/) ([a-z][a-z-]*\.(?:py|ts|js))$/;

export class GuideError extends Error {
  readonly line: number;

  constructor(line: number, message: string) {
    super(message);
    this.line = line;
  }
}

function blocksOf(markdown: string): readonly Block[] {
  const blocks: Block[] = [];
  let open: { line: number; language: string; mark: string; indent: string; lines: string[] } | null = null;
  for (const [index, line] of markdown.split("\n").entries()) {
    const [, indent = "", language = "", mark = ""] = /^( *)```(\S*) ?(.*)$/.exec(line) ?? [];
    const isFence = /^ *```/.test(line);
    if (open !== null && isFence) {
      blocks.push({
        line: open.line,
        language: open.language,
        isMarked: open.mark === NOT_RUN,
        text: open.lines.join("\n"),
      });
      open = null;
    } else if (open !== null) {
      open.lines.push(line.slice(open.indent.length));
    } else if (isFence) {
      if (mark !== "" && mark !== NOT_RUN) {
        throw new GuideError(index + 1, `"${mark}" is no mark: the only one is ${NOT_RUN}`);
      }
      open = { line: index + 1, language, mark, indent, lines: [] };
    }
  }
  return blocks;
}

/** What is run of a guide; throws a `GuideError` for a block that would be neither run nor compared nor marked. */
export function planOf(markdown: string): GuidePlan {
  const steps: Step[] = [];
  const notRun: Block[] = [];
  const saved: { name: string; line: number }[] = [];
  let files: { name: string; text: string }[] = [];
  let canHaveAnswer = false;
  for (const block of blocksOf(markdown)) {
    if (block.isMarked) {
      notRun.push(block);
      canHaveAnswer = false;
    } else if (block.language === "sh") {
      steps.push({ command: block, files, answer: null });
      files = [];
      canHaveAnswer = true;
    } else if (ANSWERS.has(block.language)) {
      const last = steps.pop();
      if (!canHaveAnswer || last === undefined) {
        throw new GuideError(block.line, `no command before this ${block.language} block gives it as its answer`);
      }
      steps.push({ ...last, answer: block });
      canHaveAnswer = false;
    } else {
      const [, name] = FILE_NAME.exec(block.text.split("\n")[0] ?? "") ?? [];
      if (name === undefined) {
        throw new GuideError(block.line, "the first line does not name the file, as in: # verify.py");
      }
      files.push({ name, text: block.text });
      saved.push({ name, line: block.line });
    }
  }
  for (const { name, line } of saved) {
    if (!steps.some(({ command }) => command.text.includes(name))) {
      throw new GuideError(line, `no command runs ${name}`);
    }
  }
  return { steps, notRun };
}
