import type { AttackedService, AttackRequest, Answer, AttackUser } from "./attacked-service.ts";
import type { AttackLog, Topic } from "./attack.ts";
import { requestApproval, setConfirms } from "./agents.ts";
import { operationsOf } from "./document.ts";
import { NAMED_WORKSPACES } from "./named-workspaces.ts";

const UNKNOWN_ID = "11111111-1111-4111-8111-111111111111";
const UNKNOWN_TOKEN = "x".repeat(43);

interface Belongings {
  readonly accountId: string;
  readonly boardAccountId: string;
  readonly workspaceId: string;
  readonly postId: string;
  readonly externalId: string;
  readonly slotTimeZone: string;
  readonly approvalId: string;
  readonly draftId: string;
  readonly webhookId: string;
  readonly deliveryId: string;
  readonly eventId: string;
  readonly token: string;
  readonly bulkToken: string;
  readonly editToken: string;
}

const UNKNOWN: Belongings = {
  accountId: UNKNOWN_ID,
  boardAccountId: UNKNOWN_ID,
  workspaceId: UNKNOWN_ID,
  postId: UNKNOWN_ID,
  externalId: "order-of-nobody",
  slotTimeZone: "Antarctica/Vostok",
  approvalId: UNKNOWN_ID,
  draftId: UNKNOWN_ID,
  webhookId: UNKNOWN_ID,
  deliveryId: "dlv_1000000",
  eventId: `evt_${"1".repeat(10)}_${UNKNOWN_ID.replaceAll("-", "")}`,
  token: UNKNOWN_TOKEN,
  bulkToken: UNKNOWN_TOKEN,
  editToken: UNKNOWN_TOKEN,
};

const tomorrow = () => new Date(Date.now() + 86_400_000).toISOString();

/** Creates a webhook with a delivery in its log. */
async function createWebhook(service: AttackedService, { key }: AttackUser): Promise<string> {
  const url = `${service.origin}/sandbox/receivers/victim`;
  const { json } = await service.prepare("POST", "/v1/webhooks", { key, json: { url, types: ["*"] } });
  service.addSecret(json.secret);
  await service.prepare("POST", `/v1/webhooks/${json.webhook.id}/test`, { key });
  return json.webhook.id;
}

async function createBelongings(service: AttackedService, user: AttackUser): Promise<Belongings> {
  const accountId = await service.connect(user);
  const boardAccountId = await service.connect(user, "pinterest");
  const webhookId = await createWebhook(service, user);
  const postId = await service.schedulePost(user, accountId, "Victim's secret launch");
  const { key } = user;
  const externalId = "order-of-the-victim";
  await service.prepare("PUT", `/v1/posts/${postId}/annotations`, { key, json: { external_id: externalId } });
  const slotTimeZone = "Antarctica/Troll";
  await service.prepare("PUT", "/v1/schedule/slots", {
    key,
    json: { time_zone: slotTimeZone, slots: [{ weekday: 1, time: "09:30" }] },
  });
  const { json: previewed } = await service.prepare("POST", "/v1/posts/preview", {
    key,
    json: { caption: "Victim's other secret", scheduled_at: tomorrow(), account_ids: [accountId] },
  });
  const { json: bulkPreviewed } = await service.prepare("POST", "/v1/posts/bulk/preview", {
    key,
    json: { posts: [{ caption: "Victim's many", scheduled_at: tomorrow(), account_ids: [accountId] }] },
  });
  const { json: editPreviewed } = await service.prepare("POST", "/v1/posts/edit/preview", {
    key,
    json: { post_ids: [postId], caption: "Changed" },
  });
  const { json: drafted } = await service.prepare("POST", "/v1/drafts", {
    key,
    json: { caption: "Victim's secret draft", account_ids: [accountId] },
  });
  const cookie = await service.signIn(user);
  await setConfirms(service, cookie, "person");
  const approvalId = await requestApproval(service, user, accountId);
  await setConfirms(service, cookie, "self");
  const { json: delivered } = await service.prepare("GET", `/v1/webhooks/${webhookId}/deliveries`, { key });
  const { json: logged } = await service.prepare("GET", "/v1/events", { key });
  return {
    accountId,
    boardAccountId,
    workspaceId: user.workspaceId,
    postId,
    externalId,
    slotTimeZone,
    approvalId,
    draftId: drafted.draft.id,
    webhookId,
    deliveryId: delivered.deliveries[0].id,
    eventId: logged.events[0].id,
    token: previewed.confirmation_token,
    bulkToken: bulkPreviewed.confirmation_token,
    editToken: editPreviewed.confirmation_token,
  };
}

/** A request for each operation that names something by its id or token. */
const REQUESTS: Readonly<
  Record<string, (theirs: Belongings) => readonly { readonly query?: string; readonly json?: object }[]>
> = {
  getPost: () => [{}],
  listAttempts: () => [{}],
  cancelPost: () => [{ json: { confirm: true } }],
  annotatePost: () => [{ json: { labels: ["mine"], external_id: "mine" } }],
  getApproval: () => [{}],
  withdrawApproval: () => [{ json: { confirm: true } }],
  getDraft: () => [{}],
  updateDraft: () => [{ json: { version: 1, caption: "Mine" } }],
  deleteDraft: () => [{ json: { confirm: true } }],
  previewDraft: () => [{ json: {} }, { json: { scheduled_at: "2027-01-01T00:00:00Z" } }],
  getWebhook: () => [{}],
  updateWebhook: () => [{ json: { description: "Mine" } }, { json: { url: "https://hook.example/", enabled: false } }],
  deleteWebhook: () => [{ json: { confirm: true } }],
  rotateWebhookSecret: () => [{}],
  testWebhook: () => [{}],
  replayWebhook: () => [{ json: { after_seq: 0 } }],
  listDeliveries: () => [{}],
  getDelivery: () => [{}],
  resendDelivery: () => [{}],
  getEvent: () => [{}],
  disconnectAccount: ({ accountId }) => [{ json: { account_id: accountId, confirm: true } }],
  listPinterestBoards: ({ boardAccountId }) => [{ query: `?account_id=${boardAccountId}` }],
  activateWorkspace: ({ workspaceId }) => [{ json: { workspace_id: workspaceId } }],
  previewBulk: ({ accountId }) => [
    { json: { posts: [{ caption: "Mine", scheduled_at: "2027-01-01T00:00:00Z", account_ids: [accountId] }] } },
  ],
  confirmBulk: ({ bulkToken }) => [{ json: { confirmation_token: bulkToken } }],
  previewPost: ({ accountId }) => [
    { json: { caption: "Mine", scheduled_at: "2027-01-01T00:00:00Z", account_ids: [accountId] } },
    { json: { caption: "Mine", scheduled_at: "2027-01-01T00:00:00Z", targets: [{ account_id: accountId }] } },
  ],
  previewEdit: ({ postId }) => [{ json: { post_ids: [postId], caption: "Mine" } }],
  confirmPost: ({ token }) => [{ json: { confirmation_token: token } }],
  confirmEdit: ({ editToken }) => [{ json: { confirmation_token: editToken } }],
};

/** Operations that store ids without looking them up. Another attack uses the stored ids. */
const KEEPS_WHAT_IS_SENT: ReadonlySet<string> = new Set(["createDraft"]);

/**
 * Whether a member names something of a user. `external_id` does not, because it is the caller's own name for a post.
 */
const namesSomething = (name: string): boolean => name !== "external_id" && /(?:^|_)(?:ids?|token)$/.test(name);

/** The path of an operation, filled with the ids of a user's belongings. */
function pathWith(path: string, ids: Belongings): string {
  const id = path.startsWith("/v1/approvals")
    ? ids.approvalId
    : path.startsWith("/v1/webhooks")
      ? ids.webhookId
      : path.startsWith("/v1/drafts")
        ? ids.draftId
        : path.startsWith("/v1/events")
          ? ids.eventId
          : ids.postId;
  return path.replace("{id}", id).replace("{delivery_id}", ids.deliveryId);
}

/** An answer without its own id and the id that was sent, so that two answers can be compared. */
const comparable = ({ status, text }: Answer, ids: Belongings): string =>
  Object.values(ids)
    .reduce((rest: string, id: string) => rest.replaceAll(id, "…"), `${status} ${text}`)
    .replace(/"request_id":"[^"]*"/, "");

async function isUnchanged(service: AttackedService, victim: AttackUser, theirs: Belongings): Promise<boolean> {
  const { json } = await service.send("GET", `/v1/posts/${theirs.postId}`, { key: victim.key });
  const { json: hooks } = await service.send("GET", `/v1/webhooks/${theirs.webhookId}`, { key: victim.key });
  const { json: drafted } = await service.send("GET", `/v1/drafts/${theirs.draftId}`, { key: victim.key });
  const { json: slots } = await service.send("GET", "/v1/schedule/slots", { key: victim.key });
  return (
    drafted?.draft?.version === 1 &&
    json?.post?.status === "scheduled" &&
    json.post.caption === "Victim's secret launch" &&
    json.post.external_id === theirs.externalId &&
    json.post.labels.length === 0 &&
    slots?.time_zone === theirs.slotTimeZone &&
    slots.slots.length === 1 &&
    hooks?.webhook?.enabled === true &&
    hooks.webhook.description === "" &&
    hooks.webhook.previous_secret_until === null
  );
}

async function tryPages(service: AttackedService, log: AttackLog, cookie: string, paths: readonly string[]) {
  for (const path of paths) {
    const { status, text } = await service.send("POST", path, { cookie, form: { name: "Taken" } });
    log.expect(status >= 400, String(status), `${path} answered ${status}: ${text.slice(0, 300)}`);
  }
}

export default {
  topic: "tenants",
  attacks: [
    {
      name: "another user's ids and tokens in every operation",
      async run(service, log) {
        const victim = await service.createUser();
        const theirs = await createBelongings(service, victim);
        const { key } = await service.createUser();
        for (const { id, method, path, parameters, body } of operationsOf(service.document)) {
          const members = Object.keys(
            service.document.components.schemas[body?.$ref?.split("/").at(-1) ?? ""]?.properties ?? {},
          );
          const requests = REQUESTS[id];
          if (KEEPS_WHAT_IS_SENT.has(id)) {
            continue;
          }
          if (!requests) {
            const named = [...parameters.map(({ name }) => name), ...members].filter(namesSomething);
            log.expect(named.length === 0, "names nothing", `${id} takes ${named.join(", ")} and is not attacked`);
            continue;
          }
          for (const [index, { query = "", json }] of requests(theirs).entries()) {
            const request: AttackRequest = { key, ...(json && { json }) };
            const answer = await service.send(method, pathWith(path, theirs) + query, request);
            log.expectStatus(`${id} with another user's id`, answer, 400, 404);
            const { query: missingQuery = "", json: missingJson } = requests(UNKNOWN)[index] ?? {};
            const missing = await service.send(method, pathWith(path, UNKNOWN) + missingQuery, {
              key,
              ...(missingJson && { json: missingJson }),
            });
            log.expect(
              comparable(answer, theirs) === comparable(missing, UNKNOWN),
              "the same as a missing one",
              `${id} tells another user's id from a missing one: ${answer.text} / ${missing.text}`,
            );
          }
        }
        await service.send("PUT", "/v1/schedule/slots", { key, json: { time_zone: "UTC", slots: [] } });
        log.expect(await isUnchanged(service, victim, theirs), "unchanged", "the victim's post or webhook was changed");
        const { json } = await service.send("POST", "/v1/posts/confirm", {
          key: victim.key,
          json: { confirmation_token: theirs.token },
        });
        log.expect(json?.posts?.length === 1, "the token still works", "the victim's token was used up by a stranger");
      },
    },
    {
      name: "confirmation tokens of this moment that the service did not issue to the user",
      async run(service, log) {
        const user = await service.createUser();
        const other = await service.createUser();
        const issuedTo = async (owner: AttackUser): Promise<Buffer> => {
          const { json } = await service.prepare("POST", "/v1/posts/preview", {
            key: owner.key,
            json: { caption: "Mine", scheduled_at: tomorrow(), account_ids: [await service.connect(owner)] },
          });
          return Buffer.from(service.addSecret(json.confirmation_token), "base64url");
        };
        const issued = await issuedTo(user);
        // Change each byte of the token: the last bits of its time of issue, its random bytes, and its signature.
        const madeUp = Array.from({ length: issued.length - 5 }, (_, index) => {
          const bytes = Buffer.from(issued);
          bytes.writeUInt8(bytes.readUInt8(index + 5) ^ 1, index + 5);
          return bytes;
        });
        for (const bytes of [...madeUp, await issuedTo(other)]) {
          for (const path of ["/v1/posts/confirm", "/v1/posts/bulk/confirm", "/v1/posts/edit/confirm"]) {
            const answer = await service.send("POST", path, {
              key: user.key,
              json: { confirmation_token: bytes.toString("base64url") },
            });
            log.expect(
              answer.status === 400 && answer.json?.code === "invalid_confirmation_token",
              "invalid_confirmation_token",
              `${path}: a token that was not issued to the user is ${answer.status}: ${answer.text.slice(0, 300)}`,
            );
          }
        }
      },
    },
    {
      name: "another user's account in a draft",
      async run(service, log) {
        const theirs = await createBelongings(service, await service.createUser());
        const { key } = await service.createUser();
        const answers: string[] = [];
        for (const ids of [theirs, UNKNOWN]) {
          const { json } = await service.prepare("POST", "/v1/drafts", {
            key,
            json: { caption: "Mine", scheduled_at: tomorrow(), account_ids: [ids.accountId] },
          });
          log.expect(json.draft.problems.length === 0, "looked up nowhere", `problems: ${JSON.stringify(json.draft)}`);
          const answer = await service.send("POST", `/v1/drafts/${json.draft.id}/preview`, { key, json: {} });
          log.expectStatus("the preview of a draft with another user's account", answer, 400);
          answers.push(comparable(answer, ids));
        }
        log.expect(
          answers[0] === answers[1],
          "the same as a missing one",
          `a draft tells another user's account from a missing one: ${answers.join(" / ")}`,
        );
      },
    },
    {
      name: "another user's data in every list",
      async run(service, log) {
        const victim = await service.createUser();
        const theirs = await createBelongings(service, victim);
        const { key } = await service.createUser();
        for (const { id, method, path } of operationsOf(service.document)) {
          if (method !== "GET" || path.includes("{")) {
            continue;
          }
          const { text } = await service.send(method, path, { key });
          const seen = Object.values(theirs).filter((value) => text.includes(value));
          log.expect(seen.length === 0, "nothing of theirs", `${id} shows ${seen.join(", ")}`);
        }
        const named = await service.send("GET", `/v1/posts?external_id=${theirs.externalId}`, { key });
        log.expect(
          named.status === 200 && named.json.posts.length === 0,
          "no post of theirs by its external_id",
          `a stranger finds ${named.text}`,
        );
        const found = await service.send("GET", "/v1/posts?q=secret%20launch", { key });
        log.expect(
          found.status === 200 && found.json.pagination.total === 0 && found.json.search.searched === 0,
          "no post of theirs by its words",
          `a stranger finds ${found.text}`,
        );
      },
    },
    {
      name: "another user's keys, workspaces, apps and drafts in the forms of the dashboard",
      async run(service, log) {
        const victim = await service.createUser();
        const victimCookie = await service.signIn(victim);
        const webhookId = await createWebhook(service, victim);
        const { json: drafted } = await service.prepare("POST", "/v1/drafts", { key: victim.key, json: {} });
        const draft = `drafts/${drafted.draft.id}`;
        const { text: keysPage } = await service.send("GET", "/dashboard/keys", { cookie: victimCookie });
        const keyId = /\/dashboard\/keys\/([^/"]+)\/revoke/.exec(keysPage)?.[1];
        const cookie = await service.signIn(await service.createUser());
        await tryPages(service, log, cookie, [
          `/dashboard/keys/${keyId}/rotate`,
          `/dashboard/keys/${keyId}/revoke`,
          `/dashboard/workspaces/${victim.workspaceId}/rename`,
          `/dashboard/workspaces/${victim.workspaceId}/activate`,
          `/dashboard/apps/${UNKNOWN_ID}/revoke`,
          ...["", "/disable", "/enable", "/test", "/rotate", "/delete", "/replay"].map(
            (form) => `/webhooks/${webhookId}${form}`,
          ),
          `/dashboard/passkeys/${UNKNOWN_ID}/remove`,
          `/dashboard/${draft}/delete`,
        ]);
        log.expectStatus(
          "DELETE a key",
          await service.send("DELETE", `/dashboard/keys/${keyId}`, {
            cookie,
            headers: { origin: service.origin },
          }),
          404,
        );
        const { status, text } = await service.send("GET", "/v1/workspaces", { key: victim.key });
        log.expect(keyId !== undefined && status === 200, "the key still works", `the victim's key answers ${status}`);
        const kept = await service.send("GET", `/v1/${draft}`, { key: victim.key });
        log.expect(kept.status === 200, "the draft is still there", `the victim's draft answers ${kept.status}`);
        log.expect(!text.includes("Taken"), "not renamed", "the victim's workspace has a new name");
      },
    },
    ...NAMED_WORKSPACES,
  ],
} satisfies Topic;
