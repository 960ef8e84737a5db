import { createDraft } from "#drafts/index.ts";
import type { ApiContext } from "#api/env.ts";
import { newRouter, operation } from "#api/operation.ts";
import { jsonBody, success } from "#wire/schemas/content.ts";
import {
  bodyOf,
  contentOf,
  draftByReference,
  DraftContent,
  DraftResponse,
  EXAMPLE_DRAFT,
  lenientHook,
  presentDraft,
} from "./draft.ts";

const CreateDraftBody = DraftContent.openapi("CreateDraftBody");

const route = operation("posts:write", {
  hasNoEvents: true,
  largeResponse: draftByReference,
  method: "post",
  path: "/drafts",
  operationId: "createDraft",
  summary: "Create a draft",
  description:
    "Keeps any members of a preview, at most 256 KiB, also when they are incomplete or wrong: `problems` says what. Nothing is scheduled. A workspace may have 1,000 drafts; one that nobody changes for a year is deleted. Media that a draft names are kept as long as the draft.",
  request: { body: jsonBody(CreateDraftBody, EXAMPLE_DRAFT.content) },
  responses: success(201, "The draft.", DraftResponse, { draft: EXAMPLE_DRAFT }),
});

async function handle(c: ApiContext) {
  const draft = await createDraft(c.get("ctx"), { content: contentOf(bodyOf(c)) });
  return c.json({ draft: presentDraft(draft) }, 201);
}

export const create = newRouter().openapi(route, handle, lenientHook(handle));
