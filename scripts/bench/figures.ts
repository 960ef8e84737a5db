import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Comparison } from "./instructions.ts";

/* The instructions of each operation that were accepted last. They are the same on every machine: callgrind emulates the processor. */

const FILE = join(import.meta.dirname, "figures.json");
/** The ratio above which a count is worse. It is above the differences between runs of the same bundle. */
const ALLOWED = 1.03;

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
  const worse = comparisons.filter(
    ({ operation, product }) => product.instructions > (figures[operation]?.instructions ?? 0) * ALLOWED,
  );
  for (const { operation, product } of worse) {
    console.log(
      `${operation}: ${product.instructions} instructions, accepted were ${figures[operation]?.instructions}`,
    );
  }
  return worse;
}
