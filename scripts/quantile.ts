/** The value at this share of the sorted ones: 0 is the lowest, 0.5 the median, 1 the highest. */
export const quantile = (sorted: readonly number[], share: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
