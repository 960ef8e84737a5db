/** Cloudflare's error code if an account has used up its transformations of the month. */
export const OUT_OF_TRANSFORMATIONS = 9422;

/** The code of a Cloudflare Images error; null for any other error. */
export function imagesErrorCode(error: unknown): number | null {
  return typeof error === "object" && error !== null && "code" in error ? Number(error.code) : null;
}
