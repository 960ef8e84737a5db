import type { fitImages as FitImages } from "./fit-images.ts";

/** Loaded with the first image that has to be fitted. */
export async function fitImages(...args: Parameters<typeof FitImages>) {
  const fits = await import("./fit-images.ts");
  return fits.fitImages(...args);
}
