import type { fitImages as FitImages } from "./fit-images.ts";

/** Loads the fitting code lazily, with the first image that needs it. */
export async function fitImages(...args: Parameters<typeof FitImages>) {
  const fits = await import("./fit-images.ts");
  return fits.fitImages(...args);
}
