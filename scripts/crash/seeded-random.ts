import { uniformFloat64 } from "pure-rand/distribution/uniformFloat64";
import { uniformInt } from "pure-rand/distribution/uniformInt";
import { xoroshiro128plus } from "pure-rand/generator/xoroshiro128plus";

/** The first numbers of this generator hardly depend on a small seed: the very first is always close to 1. */
const SKIPPED = 20;

/** Random choices from a seed, so that a failing run can be repeated with it. */
export class SeededRandom {
  readonly #generator: ReturnType<typeof xoroshiro128plus>;

  constructor(seed: number) {
    this.#generator = xoroshiro128plus(seed);
    for (let count = 0; count < SKIPPED; count += 1) {
      this.next();
    }
  }

  /** At least 0 and below 1. */
  next(): number {
    return uniformFloat64(this.#generator);
  }

  between(low: number, high: number): number {
    return low + this.next() * (high - low);
  }

  chance(probability: number): boolean {
    return this.next() < probability;
  }

  pick<T>(items: readonly T[]): T {
    if (items.length === 0) {
      throw new Error("nothing to pick from");
    }
    return items[uniformInt(this.#generator, 0, items.length - 1)] as T;
  }
}
