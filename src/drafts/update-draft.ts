import type { Context } from "#context.ts";
import { refuse } from "#core/errors.ts";
import type { JsonObject } from "#core/json.ts";

import { assertContentSize, mediaIdsIn, withoutNulls } from "./content.ts";
import { getDraft } from "./get-draft.ts";
import { refuseDraftBytes, refuseDraftChanged } from "./refuse.ts";
import { replaceDraft, selectDraftUse } from "./store.ts";
import type { Draft } from "./types.ts";

/** Replaces the given members of a draft, removes those that are null and keeps the rest. */
export async function updateDraft(
  ctx: Pick<Context, "actor" | "clock" | "config" | "db">,
  input: {
    readonly id: string;
    /** The version that the client has read. The update is refused if the draft has changed since. */
    readonly version: number;
    readonly changes: JsonObject;
  },
): Promise<Draft> {
  const { id, version, changes } = input;
  if (Object.keys(changes).length === 0) {
    const message = "name what is to change: any member of a preview";
    refuse({ code: "validation_failed", message, details: [{ code: "no_changes", message }] });
  }
  const draft = await getDraft(ctx, { id });
  if (draft.version !== version) {
    refuseDraftChanged(draft.version);
  }
  const content = withoutNulls({ ...draft.content, ...changes });
  assertContentSize(content);
  const changed = { id, version, content, mediaIds: mediaIdsIn(ctx.config, content), now: ctx.clock.now() };
  const maxBytes = ctx.actor.limits.draftBytes;
  const updated = await replaceDraft(ctx.db, ctx.actor, changed, maxBytes);
  if (updated !== null) {
    return updated;
  }
  const present = await getDraft(ctx, { id });
  return present.version === version
    ? refuseDraftBytes(maxBytes, (await selectDraftUse(ctx.db, ctx.actor)).bytes)
    : // Somebody changed the draft after the client read it.
      refuseDraftChanged(present.version);
}
