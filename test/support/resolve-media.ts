import { type MediaInput, mediaRefs, resolveRefs } from "#media/index.ts";

/** The media of one list, as a preview resolves them. */
export function resolveMedia(ctx: Parameters<typeof resolveRefs>[0], input: MediaInput) {
  return resolveRefs(ctx, mediaRefs(ctx.config, { at: "", input }));
}
