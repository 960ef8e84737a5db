import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Comparison } from "./instructions.ts";

/*
 * The instructions of each operation that were accepted last. They are the same on every idle machine, because callgrind
 * emulates the processor. On a busy one timers and garbage collections add up to 5 % to the product and to the floor alike.
 */

const FILE = join(import.meta.dirname, "figures.json");
/** A count above this multiple of the accepted one is worse, unless the floor took more in the same run, too. */
const ALLOWED = 1.03;
/** What differs in the ratio to the floor between runs of the same bundle. */
const ALLOWED_OF_RATIO = 1.01;

interface Figure {
  readonly instructions: number;
  /** The count divided by that of the floor in the same run. */
  readonly ratio: number;
}

type Figures = Readonly<Record<string, Figure>>;

async function readFigures(): Promise<Figures> {
  return JSON.parse(await readFile(FILE, "utf8")) as Figures;
}

/** Replaces the figures of the operations that were counted. */
export async function acceptFigures(comparisons: readonly Comparison[]): Promise<void> {
  const counted = comparisons.map(({ operation, product, ratio }) => {
    const figure: Figure = {
      instructions: product.instructions,
      ratio: Number(ratio.toFixed(3)),
    };
    return [operation, figure] as const;
  });
  const figures = { ...(await readFigures()), ...Object.fromEntries(counted) };
  await writeFile(FILE, `${JSON.stringify(figures, null, 2)}\n`);
}

/** The operations that take clearly more instructions than their figures. */
export async function findWorse(comparisons: readonly Comparison[]): Promise<readonly Comparison[]> {
  const figures = await readFigures();
  const worse = comparisons.filter(({ operation, product, ratio }) => {
    const accepted = figures[operation] ?? { instructions: 0, ratio: 0 };
    return product.instructions > accepted.instructions * ALLOWED && ratio > accepted.ratio * ALLOWED_OF_RATIO;
  });
  for (const { operation, product, ratio } of worse) {
    console.log(
      `${operation}: ${product.instructions} instructions, ${ratio.toFixed(3)} times the floor; accepted were ${JSON.stringify(figures[operation])}`,
    );
  }
  return worse;
}
