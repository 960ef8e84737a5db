import { type AccountRow, toAccount } from "#accounts/index.ts";
import type { Config } from "#config.ts";
import type { EventType } from "#core/event-type.ts";
import type { WebhookDisabledReason } from "#db/schema.ts";
import { type ApprovalRow, toApproval } from "#confirming/requests/store-approvals.ts";
import { type PostRow, toPost } from "#posts/rows/store-post-rows.ts";
import { withUrl } from "#confirming/requests/approval-reference.ts";
import { eventId } from "./event-id.ts";
import type { EventSubject, RecordedEvent } from "./types.ts";

export interface EventRow {
  readonly workspace_id: string;
  readonly seq: number;
  readonly type: EventType;
  readonly at: number;
  readonly data: string;
}

/** A post's row, which triggers write in two halves, because an SQL function in D1 takes at most 32 arguments. */
interface HalvedRow<Row> {
  readonly content: Partial<Row>;
  readonly progress: Partial<Row>;
}

/** What triggers store with an event. The deletion of personal data replaces all members by `erased`. */
interface EventData {
  readonly erased?: { readonly postId: string | null; readonly accountId: string | null };
  readonly previousStatus?: string;
  readonly accountId?: string;
  readonly post?: HalvedRow<PostRow>;
  readonly account?: HalvedRow<AccountRow>;
  readonly approval?: ApprovalRow;
  readonly webhook?: {
    readonly id: string;
    readonly url: string;
    readonly description: string;
    readonly disabledReason: Exclude<WebhookDisabledReason, "user">;
  };
}

/** Joins both halves of a row. A test checks that they contain every column which the API's queries select. */
function joinHalves<Row>({ content, progress }: HalvedRow<Row>): Row {
  return { ...content, ...progress } as Row;
}

function readSubject(config: Pick<Config, "origin">, data: EventData, at: number): EventSubject {
  if (data.post) {
    return { kind: "post", post: toPost(joinHalves(data.post), at), accountId: data.accountId ?? null };
  }
  if (data.account) {
    return { kind: "account", account: toAccount(joinHalves(data.account), at) };
  }
  if (data.approval) {
    return { kind: "approval", approval: withUrl({ config }, toApproval(data.approval)) };
  }
  if (data.webhook) {
    return { kind: "webhook", webhook: data.webhook };
  }
  if (data.erased) {
    return { kind: "erased", ...data.erased };
  }
  throw new Error("an event without a subject");
}

/** Reads an event as it was recorded. Later changes of its subject do not show. */
export function readEvent({ config }: { readonly config: Pick<Config, "origin"> }, row: EventRow): RecordedEvent {
  const data = JSON.parse(row.data) as EventData;
  const { workspace_id: workspaceId, seq, type, at } = row;
  const subject = readSubject(config, data, at);
  const status = subject.kind === "post" ? subject.post.status : null;
  const previousStatus = data.previousStatus === status ? null : (data.previousStatus ?? null);
  return { id: eventId({ workspaceId, seq }), seq, type, workspaceId, at, subject, previousStatus };
}
