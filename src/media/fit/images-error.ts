/** Cloudflare returns this code when an account has used its transformations of the month. */
export const OUT_OF_TRANSFORMATIONS = 9422;

/** Null for any error other than one of Cloudflare Images. */
export function imagesErrorCode(error: unknown): number | null {
  return typeof error === "object" && error !== null && "code" in error ? Number(error.code) : null;
}
