import { toIsoInstant } from "#core/clock.ts";
import type { RefusalDetail } from "#core/errors.ts";
import type { JsonValue } from "#core/json.ts";
import type { Draft, DraftSummary } from "#drafts/index.ts";
import { timeInWords } from "./local-time.ts";
import { quoted } from "./quoted.ts";
import { toJsonDetail } from "#wire/refusal-body.ts";

const VALUE_MAX = 2500;

export function draftLine(timeZone: string, { id, version, updatedAt, caption }: DraftSummary): string {
  const words = caption === null ? "without a caption" : quoted(caption);
  return `- ${id}: version ${version}, changed ${timeInWords(timeZone, updatedAt)}: ${words}`;
}

const valueText = (value: JsonValue | undefined): string =>
  quoted(typeof value === "string" ? value : JSON.stringify(value), VALUE_MAX);

/** Describes a draft for a model: its content, and the problems that would prevent a preview. */
export function describeDraft({ id, version, content }: Draft, problems: readonly RefusalDetail[]): string {
  return [
    `Draft ${id}, version ${version}:`,
    ...Object.entries(content).map(([name, value]) => `- ${name}: ${valueText(value)}`),
    ...(problems.length === 0
      ? ["preview_draft checks it against all rules."]
      : ["Missing or malformed:", ...problems.map(({ message, code }) => `- ${message} [${code}]`)]),
  ].join("\n");
}

/** The members of a draft as structured data, without its content. */
export function presentDraftMembers({ id, workspaceId, version, createdAt, updatedAt }: Omit<Draft, "content">) {
  return {
    id,
    workspace_id: workspaceId,
    version,
    created_at: toIsoInstant(createdAt),
    updated_at: toIsoInstant(updatedAt),
  };
}

export function presentDraft(draft: Draft, problems: readonly RefusalDetail[]) {
  return { ...presentDraftMembers(draft), content: draft.content, problems: problems.map(toJsonDetail) };
}
