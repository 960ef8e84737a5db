import type { Context } from "#context.ts";
import { refuse } from "#core/errors.ts";
import type { JsonObject } from "#core/json.ts";

import { assertContentSize, mediaIdsIn, withoutNulls } from "./content.ts";
import { refuseDraftBytes } from "./refuse.ts";
import { insertDraft, selectDraftUse } from "./store.ts";
import type { Draft } from "./types.ts";

const MAX_DRAFTS = 1000;

/** Stores a draft: members of a preview's body, which may be invalid because the draft is unfinished. */
export async function createDraft(
  ctx: Pick<Context, "actor" | "clock" | "config" | "db" | "ids">,
  input: { readonly content: JsonObject },
): Promise<Draft> {
  const { actor, clock, config, ids } = ctx;
  const content = withoutNulls(input.content);
  assertContentSize(content);
  const row = { id: ids.uuid(), content, mediaIds: mediaIdsIn(config, content), now: clock.now() };
  const maxBytes = actor.limits.draftBytes;
  const draft = await insertDraft(ctx.db, actor, row, { drafts: MAX_DRAFTS, bytes: maxBytes });
  if (draft === null) {
    const used = await selectDraftUse(ctx.db, actor);
    if (used.drafts < MAX_DRAFTS) {
      refuseDraftBytes(maxBytes, used.bytes);
    }
    refuse({
      code: "too_many_drafts",
      message: `the workspace has ${MAX_DRAFTS} drafts: delete some that are no longer needed`,
    });
  }
  return draft;
}
