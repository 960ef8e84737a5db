import type { Context } from "#context.ts";
import { refuse, type RefusalDetail } from "#core/errors.ts";
import { IMPORT_LIMITS, MAX_IMPORT_URLS } from "#media/limits.ts";
import { resolveRefs } from "./resolve-media-refs.ts";
import type { ResolvedFile } from "#media/types.ts";
import { mediaIdOf } from "#media/urls.ts";

/** Imports files of any type from public URLs, in the order of `urls`. Stores all of them or none. */
export async function importMedia(
  ctx: Pick<Context, "actor" | "db" | "bucket" | "images" | "config" | "clock" | "ids" | "outbound" | "defer">,
  { urls }: { readonly urls: readonly string[] },
  limits = IMPORT_LIMITS,
): Promise<readonly ResolvedFile[]> {
  if (urls.length === 0 || urls.length > MAX_IMPORT_URLS) {
    const message = `send 1 to ${MAX_IMPORT_URLS} URLs`;
    const detail: RefusalDetail = {
      code: "out_of_range",
      message,
      param: "urls",
      limit: MAX_IMPORT_URLS,
      actual: urls.length,
    };
    refuse({ code: "validation_failed", message, param: "urls", details: [detail] });
  }
  const refs = urls.map((url, index) => ({
    param: `urls[${index}]`,
    url,
    type: null,
    id: mediaIdOf(ctx.config, url),
    takesAll: true as const,
  }));
  return resolveRefs(ctx, refs, limits);
}
