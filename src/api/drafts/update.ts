import { updateDraft } from "#drafts/index.ts";
import type { ApiContext } from "#api/env.ts";
import { newRouter, operation } from "#api/operation.ts";
import { jsonBody, success } from "#wire/schemas/content.ts";
import {
  bodyOf,
  contentOf,
  draftByReference,
  DraftContent,
  DraftInPath,
  DraftResponse,
  DraftVersion,
  EXAMPLE_DRAFT,
  lenientHook,
  presentDraft,
} from "./draft.ts";

const UpdateDraftBody = DraftContent.extend({ version: DraftVersion }).openapi("UpdateDraftBody");

const route = operation("posts:write", {
  hasNoEvents: true,
  largeResponse: draftByReference,
  method: "patch",
  path: "/drafts/{id}",
  operationId: "updateDraft",
  summary: "Change a draft",
  description:
    "Replaces the members that are given, each as a whole, removes those that are null and leaves the rest. `version` is the one that was read: when somebody changed the draft since, 400 `draft_changed` has the present one and nothing is written.",
  request: {
    params: DraftInPath,
    body: jsonBody(UpdateDraftBody, { version: 1, caption: "The new glaze is here!" }),
  },
  responses: success(200, "The draft as it is now.", DraftResponse, {
    draft: {
      ...EXAMPLE_DRAFT,
      version: 2,
      content: { ...EXAMPLE_DRAFT.content, caption: "The new glaze is here!" },
      updated_at: "2026-11-20T09:12:00.000Z",
    },
  }),
});

async function handle(c: ApiContext) {
  const { id } = DraftInPath.parse(c.req.param());
  const { version } = UpdateDraftBody.pick({ version: true }).parse(bodyOf(c));
  const draft = await updateDraft(c.get("ctx"), { id, version, changes: contentOf(bodyOf(c)) });
  return c.json({ draft: presentDraft(draft) }, 200);
}

export const update = newRouter().openapi(route, handle, lenientHook(handle));
