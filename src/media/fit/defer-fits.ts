import type { fitImages as FitImages } from "./fit-images.ts";

/** Makes copies of images that fit platforms. The code is loaded with the first image that needs it. */
export async function fitImages(...args: Parameters<typeof FitImages>) {
  const fits = await import("./fit-images.ts");
  return fits.fitImages(...args);
}
