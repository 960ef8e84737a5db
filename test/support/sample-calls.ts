import { env } from "cloudflare:workers";
import { hashSecret } from "#auth/secrets.ts";
import { SCOPES } from "#core/scope.ts";
import { createWebhook } from "./api-webhooks.ts";
import { type ApiRequest, callApi } from "./call-api.ts";
import { connectOneAccount, isoInDays, previewTextPost, scheduleTextPost } from "./api-workflows.ts";
import { type ApiCaller, createAnotherKey, createCaller } from "./create-caller.ts";

/** What the calls below are made with. */
export interface CallSetting {
  readonly caller: ApiCaller;
  readonly accountId: string;
  readonly webhookId: string;
}

/** A call that may be made once, and the status of its answer. */
export interface SampleCall {
  readonly status: number;
  /** Only where events are recorded there is something to read. */
  readonly needsEvents: boolean;
  readonly prepare: (setting: CallSetting) => ApiRequest | Promise<ApiRequest>;
}

/** A caller with an account and, if events are to be recorded, a webhook. */
export async function createCallSetting(login: string, { events }: { readonly events: boolean }): Promise<CallSetting> {
  const caller = await createCaller();
  const account = await connectOneAccount(caller, "x", login);
  const webhookId = events ? (await createWebhook(caller)).id : "none";
  await callApi(caller, { method: "GET", path: "/accounts" });
  return { caller, accountId: account.id, webhookId };
}

const confirmation = { confirm: true };
const webhookUrl = "https://shop.example.com/almanac";
/** The body of a preview. */
export const newPost = (accountId: string) => ({
  caption: "Hello",
  scheduled_at: isoInDays(1),
  account_ids: [accountId],
});

const post =
  (call: (id: string) => ApiRequest) =>
  async ({ caller, accountId }: CallSetting) =>
    call((await scheduleTextPost(caller, accountId)).id);

const draft =
  (call: (id: string) => ApiRequest) =>
  async ({ caller, accountId }: CallSetting) => {
    const { body } = await callApi(caller, { method: "POST", path: "/drafts", body: newPost(accountId) });
    return call(body.draft.id);
  };

const webhook =
  (call: (id: string) => ApiRequest) =>
  ({ webhookId }: CallSetting) =>
    call(webhookId);

/** From now on a person confirms what the key previews. */
export async function letPersonConfirm({ key }: ApiCaller): Promise<void> {
  await env.DB.prepare("UPDATE api_keys SET confirms = 'person' WHERE hash = ?")
    .bind(await hashSecret(key))
    .run();
}

async function approvalId({ caller, accountId }: CallSetting): Promise<string> {
  const agent = await createAnotherKey(caller, SCOPES);
  await letPersonConfirm(agent);
  const token = { confirmation_token: await previewTextPost(agent, accountId) };
  const { body } = await callApi(agent, { method: "POST", path: "/posts/confirm", body: token });
  return body.approval.id;
}

const approval = (call: (id: string) => ApiRequest) => async (prepared: CallSetting) =>
  call(await approvalId(prepared));

const delivery = (call: (path: string) => ApiRequest) =>
  webhook((id) => call(`/webhooks/${id}/deliveries/${crypto.randomUUID()}`));

const read =
  (path: string) =>
  ({ accountId }: CallSetting): ApiRequest => ({ method: "GET", path: path.replace("{account}", accountId) });

/** One call of every operation of the document. */
export const SAMPLE_CALLS: Readonly<Record<string, SampleCall>> = {
  listAccounts: { status: 200, needsEvents: false, prepare: read("/accounts") },
  connectAccount: {
    status: 200,
    needsEvents: false,
    prepare: () => ({ method: "POST", path: "/accounts", body: { platform: "x" } }),
  },
  disconnectAccount: {
    status: 200,
    needsEvents: false,
    prepare: async ({ caller }) => {
      const { id } = await connectOneAccount(caller, "threads");
      return { method: "DELETE", path: "/accounts", body: { account_id: id, ...confirmation } };
    },
  },
  syncAccounts: { status: 200, needsEvents: false, prepare: () => ({ method: "POST", path: "/accounts/sync" }) },
  listPinterestBoards: {
    status: 404,
    needsEvents: false,
    prepare: read("/accounts/pinterest-boards?account_id={account}"),
  },
  listWorkspaces: { status: 200, needsEvents: false, prepare: read("/workspaces") },
  createWorkspace: {
    status: 201,
    needsEvents: false,
    prepare: () => ({ method: "POST", path: "/workspaces", body: { name: "Second" } }),
  },
  activateWorkspace: {
    status: 200,
    needsEvents: false,
    prepare: ({ caller }) => ({
      method: "POST",
      path: "/workspaces/active",
      body: { workspace_id: caller.workspaceId },
    }),
  },
  listPlatforms: { status: 200, needsEvents: false, prepare: read("/platforms") },
  getLimits: { status: 200, needsEvents: false, prepare: read("/limits") },
  importMedia: {
    status: 400,
    needsEvents: false,
    prepare: () => ({ method: "POST", path: "/media", body: { urls: ["http://127.0.0.1/a.jpg"] } }),
  },
  startUpload: {
    status: 200,
    needsEvents: false,
    prepare: () => ({
      method: "POST",
      path: "/media/uploads",
      body: { filename: "a.jpg", content_type: "image/jpeg", size_bytes: 1000 },
    }),
  },
  summarizeSchedule: { status: 200, needsEvents: false, prepare: read("/schedule/summary") },
  getScheduleSlots: { status: 200, needsEvents: false, prepare: read("/schedule/slots") },
  setScheduleSlots: {
    status: 200,
    needsEvents: false,
    prepare: () => ({
      method: "PUT",
      path: "/schedule/slots",
      body: { time_zone: "Europe/Berlin", slots: [{ weekday: 1, time: "09:30" }] },
    }),
  },
  listNextSlots: { status: 200, needsEvents: false, prepare: read("/schedule/next-slots") },
  listPosts: { status: 200, needsEvents: false, prepare: read("/posts") },
  previewPost: {
    status: 200,
    needsEvents: false,
    prepare: ({ accountId }) => ({ method: "POST", path: "/posts/preview", body: newPost(accountId) }),
  },
  confirmPost: {
    status: 200,
    needsEvents: false,
    prepare: async ({ caller, accountId }) => ({
      method: "POST",
      path: "/posts/confirm",
      body: { confirmation_token: await previewTextPost(caller, accountId) },
    }),
  },
  previewBulk: {
    status: 200,
    needsEvents: false,
    prepare: ({ accountId }) => ({
      method: "POST",
      path: "/posts/bulk/preview",
      body: { posts: [newPost(accountId)] },
    }),
  },
  confirmBulk: {
    status: 200,
    needsEvents: false,
    prepare: async ({ caller, accountId }) => {
      const body = { posts: [newPost(accountId)] };
      const previewed = await callApi(caller, { method: "POST", path: "/posts/bulk/preview", body });
      return {
        method: "POST",
        path: "/posts/bulk/confirm",
        body: { confirmation_token: previewed.body.confirmation_token },
      };
    },
  },
  previewEdit: {
    status: 200,
    needsEvents: false,
    prepare: post((id) => ({
      method: "POST",
      path: "/posts/edit/preview",
      body: { post_ids: [id], caption: "Other" },
    })),
  },
  confirmEdit: {
    status: 200,
    needsEvents: false,
    prepare: async ({ caller, accountId }) => {
      const { id } = await scheduleTextPost(caller, accountId);
      const body = { post_ids: [id], caption: "Other" };
      const previewed = await callApi(caller, { method: "POST", path: "/posts/edit/preview", body });
      return {
        method: "POST",
        path: "/posts/edit/confirm",
        body: { confirmation_token: previewed.body.confirmation_token },
      };
    },
  },
  getPost: { status: 200, needsEvents: false, prepare: post((id) => ({ method: "GET", path: `/posts/${id}` })) },
  cancelPost: {
    status: 200,
    needsEvents: false,
    prepare: post((id) => ({ method: "DELETE", path: `/posts/${id}`, body: confirmation })),
  },
  listAttempts: {
    status: 200,
    needsEvents: false,
    prepare: post((id) => ({ method: "GET", path: `/posts/${id}/attempts` })),
  },
  annotatePost: {
    status: 200,
    needsEvents: false,
    prepare: post((id) => ({ method: "PUT", path: `/posts/${id}/annotations`, body: { labels: ["launch"] } })),
  },
  listDrafts: { status: 200, needsEvents: false, prepare: read("/drafts") },
  createDraft: {
    status: 201,
    needsEvents: false,
    prepare: ({ accountId }) => ({ method: "POST", path: "/drafts", body: newPost(accountId) }),
  },
  getDraft: {
    status: 200,
    needsEvents: false,
    prepare: draft((id) => ({ method: "GET", path: `/drafts/${id}` })),
  },
  updateDraft: {
    status: 200,
    needsEvents: false,
    prepare: draft((id) => ({ method: "PATCH", path: `/drafts/${id}`, body: { version: 1, caption: "Other" } })),
  },
  deleteDraft: {
    status: 200,
    needsEvents: false,
    prepare: draft((id) => ({ method: "DELETE", path: `/drafts/${id}`, body: confirmation })),
  },
  previewDraft: {
    status: 200,
    needsEvents: false,
    prepare: draft((id) => ({ method: "POST", path: `/drafts/${id}/preview`, body: {} })),
  },
  listApprovals: { status: 200, needsEvents: false, prepare: read("/approvals") },
  getApproval: {
    status: 200,
    needsEvents: false,
    prepare: approval((id) => ({ method: "GET", path: `/approvals/${id}` })),
  },
  withdrawApproval: {
    status: 200,
    needsEvents: false,
    prepare: approval((id) => ({ method: "DELETE", path: `/approvals/${id}`, body: confirmation })),
  },
  listEvents: { status: 200, needsEvents: false, prepare: read("/events") },
  getEvent: {
    status: 200,
    needsEvents: true,
    prepare: async ({ caller }) => {
      await connectOneAccount(caller, "threads");
      const page = await callApi(caller, { method: "GET", path: "/events" });
      return { method: "GET", path: `/events/${page.body.events[0].id}` };
    },
  },
  listWebhooks: { status: 200, needsEvents: true, prepare: read("/webhooks") },
  createWebhook: {
    status: 201,
    needsEvents: true,
    prepare: () => ({ method: "POST", path: "/webhooks", body: { url: webhookUrl, types: ["*"] } }),
  },
  getWebhook: {
    status: 200,
    needsEvents: true,
    prepare: webhook((id) => ({ method: "GET", path: `/webhooks/${id}` })),
  },
  updateWebhook: {
    status: 200,
    needsEvents: true,
    prepare: webhook((id) => ({ method: "PATCH", path: `/webhooks/${id}`, body: { types: ["post.failed"] } })),
  },
  deleteWebhook: {
    status: 200,
    needsEvents: true,
    prepare: async ({ caller }) => ({
      method: "DELETE",
      path: `/webhooks/${(await createWebhook(caller)).id}`,
      body: confirmation,
    }),
  },
  rotateWebhookSecret: {
    status: 200,
    needsEvents: true,
    prepare: webhook((id) => ({ method: "POST", path: `/webhooks/${id}/rotate-secret` })),
  },
  testWebhook: {
    status: 200,
    needsEvents: true,
    prepare: webhook((id) => ({ method: "POST", path: `/webhooks/${id}/test` })),
  },
  listDeliveries: {
    status: 200,
    needsEvents: true,
    prepare: webhook((id) => ({ method: "GET", path: `/webhooks/${id}/deliveries` })),
  },
  getDelivery: { status: 404, needsEvents: true, prepare: delivery((path) => ({ method: "GET", path })) },
  resendDelivery: {
    status: 404,
    needsEvents: true,
    prepare: delivery((path) => ({ method: "POST", path: `${path}/resend` })),
  },
  replayWebhook: {
    status: 200,
    needsEvents: true,
    prepare: webhook((id) => ({ method: "POST", path: `/webhooks/${id}/replay`, body: { after_seq: 0 } })),
  },
};
