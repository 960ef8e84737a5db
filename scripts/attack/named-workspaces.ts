import { callTool } from "./agents.ts";
import type { Attack, AttackLog } from "./attack.ts";
import type { AttackedService, AttackRequest, AttackUser } from "./attacked-service.ts";

const UNKNOWN_ID = "11111111-1111-4111-8111-111111111111";
const HEADER = "almanac-workspace";

/** A user with a client in each of two workspaces; the first is the active one. */
interface Agency {
  readonly user: AttackUser;
  readonly first: string;
  readonly second: string;
  /** A key of the same user that is pinned to the second. */
  readonly pinned: string;
}

async function createAgency(service: AttackedService): Promise<Agency> {
  const user = await service.createUser();
  const { json } = await service.prepare("POST", "/v1/workspaces", { key: user.key, json: { name: "Second" } });
  const second: string = json.workspace.id;
  const form = { name: "Pinned", access: "everything", workspace: second, expires_in_days: "30" };
  const cookie = await service.signIn(user);
  const { text } = await service.prepare("POST", "/dashboard/keys", {
    cookie,
    form: { ...form, current_password: user.password },
  });
  const [pinned = ""] = /\balk_[0-9A-Za-z]{49}\b/.exec(text) ?? [];
  return { user, first: user.workspaceId, second, pinned: service.addSecret(pinned) };
}

const inWorkspace = (id: string, request: AttackRequest): AttackRequest => ({
  ...request,
  headers: { ...request.headers, [HEADER]: id },
});

const activate = (service: AttackedService, { user }: Agency, id: string) =>
  service.prepare("POST", "/v1/workspaces/active", { key: user.key, json: { workspace_id: id } });

/** Finds each draft in the workspace that its caption names, and nowhere else. */
async function expectOwnDrafts(service: AttackedService, log: AttackLog, { user, first, second }: Agency) {
  for (const id of [first, second]) {
    const { json } = await service.send("GET", "/v1/drafts?limit=100", inWorkspace(id, { key: user.key }));
    const captions: string[] = (json?.drafts ?? []).map(({ caption }: { caption: string }) => caption);
    const foreign = captions.filter((caption) => caption !== id);
    log.expect(captions.length > 0, "written", `no draft of the client ${id} was written`);
    log.expect(foreign.length === 0, "in its workspace", `${foreign.length} drafts of another client are in ${id}`);
  }
}

const save = (id: string): object => ({ content: { caption: id }, workspace_id: id });

export const NAMED_WORKSPACES: readonly Attack[] = [
  {
    name: "two clients of one key, while the active workspace is switched: header, argument and pin",
    async run(service, log) {
      const agency = await createAgency(service);
      const { user, first, second, pinned } = agency;
      for (const active of [second, first, second, first]) {
        await activate(service, agency, active);
        await Promise.all([
          ...[first, second].map((id) =>
            service.send("POST", "/v1/drafts", inWorkspace(id, { key: user.key, json: { caption: id } })),
          ),
          ...[first, second].map((id) => callTool(service, user.key, "save_draft", save(id))),
          service.send("POST", "/v1/drafts", { key: pinned, json: { caption: second } }),
          callTool(service, pinned, "save_draft", { content: { caption: second } }),
        ]);
      }
      await expectOwnDrafts(service, log, agency);
    },
  },
  {
    name: "another user's workspace, by the header and by the argument",
    async run(service, log) {
      const victim = await service.createUser();
      const { user } = await createAgency(service);
      for (const request of [{ key: user.key }, { key: user.key, json: { caption: "Mine" } }]) {
        const method = "json" in request ? "POST" : "GET";
        const theirs = await service.send(method, "/v1/drafts", inWorkspace(victim.workspaceId, request));
        const missing = await service.send(method, "/v1/drafts", inWorkspace(UNKNOWN_ID, request));
        log.expectStatus(`${method} in another user's workspace`, theirs, 404);
        log.expect(
          theirs.json?.error === missing.json?.error && theirs.json?.param === missing.json?.param,
          "the same as a missing one",
          `${theirs.text} / ${missing.text}`,
        );
      }
      const { text } = await callTool(service, user.key, "save_draft", save(victim.workspaceId));
      log.expect(text.includes("not_found"), "not_found", `a tool works in another user's workspace: ${text}`);
      for (const id of ["", "x", `${UNKNOWN_ID},${UNKNOWN_ID}`, "' OR 1=1 --", "a".repeat(4000)]) {
        const answer = await service.send("GET", "/v1/drafts", inWorkspace(id, { key: user.key }));
        log.expectStatus(`the workspace ${id.slice(0, 40)}`, answer, 400);
      }
      const twice = { key: user.key, headers: { [HEADER]: [user.workspaceId, user.workspaceId] } };
      log.expectStatus("the header twice", await service.send("GET", "/v1/drafts", twice), 400);
      const { json } = await service.send("GET", "/v1/drafts", { key: victim.key });
      log.expect(json?.drafts?.length === 0, "nothing written", "the victim's workspace has a draft of a stranger");
    },
  },
  {
    name: "a pinned key beyond its workspace",
    async run(service, log) {
      const agency = await createAgency(service);
      const { user, first, second, pinned } = agency;
      const { json: made } = await service.prepare("POST", "/v1/drafts", { key: user.key, json: { caption: first } });
      const path = `/v1/drafts/${made.draft.id}`;
      log.expectStatus("a draft of the other workspace", await service.send("GET", path, { key: pinned }), 404);
      log.expectStatus(
        "the other workspace by name",
        await service.send("GET", path, inWorkspace(first, { key: pinned })),
        404,
      );
      const { text: argued } = await callTool(service, pinned, "read_drafts", { workspace_id: first });
      log.expect(argued.includes("not_found"), "not_found", `a pinned key reads the other workspace: ${argued}`);
      for (const [target, json] of [
        ["/v1/workspaces/active", { workspace_id: first }],
        ["/v1/workspaces/active", { workspace_id: second }],
        ["/v1/workspaces", { name: "Mine" }],
      ] as const) {
        log.expectStatus(`POST ${target}`, await service.send("POST", target, { key: pinned, json }), 403);
      }
      const { text } = await service.send("GET", "/v1/workspaces", { key: pinned });
      log.expect(!text.includes(first), "sees its workspace only", `a pinned key lists ${text}`);
    },
  },
  {
    name: "one Idempotency-Key and one token in two workspaces",
    async run(service, log) {
      const { user, first, second } = await createAgency(service);
      const call = (id: string) =>
        service.send(
          "POST",
          "/v1/drafts",
          inWorkspace(id, { key: user.key, json: { caption: "The same" }, headers: { "idempotency-key": "order-1" } }),
        );
      const [one, two] = [await call(first), await call(second)];
      log.expect(
        one.json?.draft?.id !== two.json?.draft?.id && two.headers["idempotent-replayed"] === undefined,
        "two calls",
        `the second client got the answer of the first: ${two.text}`,
      );
      const accountId = await service.connect(user);
      const { json } = await service.prepare("POST", "/v1/posts/preview", {
        key: user.key,
        json: {
          caption: "Of the first",
          scheduled_at: new Date(Date.now() + 86_400_000).toISOString(),
          account_ids: [accountId],
        },
      });
      const confirm = { key: user.key, json: { confirmation_token: service.addSecret(json.confirmation_token) } };
      const before = await service.send("POST", "/v1/posts/confirm", inWorkspace(second, confirm));
      await service.prepare("POST", "/v1/posts/confirm", inWorkspace(first, confirm));
      const after = await service.send("POST", "/v1/posts/confirm", inWorkspace(second, confirm));
      for (const answer of [before, after]) {
        log.expect(
          answer.json?.code === "invalid_confirmation_token",
          "invalid_confirmation_token",
          `a token of another workspace: ${answer.text}`,
        );
      }
    },
  },
];
