import { z } from "@hono/zod-openapi";
import type {
  Connector,
  ConnectField,
  FaultCode,
  LoginResult,
  PlatformClient,
  Result,
  TokenSet,
} from "#platforms/contract.ts";
import { failed, rateLimited, reconnect, rejected, succeeded, temporary } from "#platforms/fault.ts";
import { authorizationCode, catchConnectionErrors } from "#platforms/oauth-token.ts";
import { postForm } from "#platforms/request-encoding.ts";
import { callPlatform, isOk, parseBody } from "#platforms/response.ts";
import { type ConnectSample, LOGIN_ENDED, secretTokens, tokenResponse } from "./platform-sample.ts";

/*
 * The smallest connector with both connect methods and a start that sends a request, with its sample. It keeps the contract,
 * so the contract tests are proven for these methods whatever the real platforms use.
 */

const ORIGIN = "https://login.example.com";
export const SCRIPTED_CONNECTOR_HOSTS = ["login.example.com"] as const;

const REFUSED = { kind: "rejected", code: "login_refused" } as const;
const Started = z.looseObject({ request_uri: z.string() });
const StartState = z.object({ requestUri: z.string() });
const Tokens = z.looseObject({ access_token: z.string() });
const Profile = z.looseObject({ name: z.string() });

const handle: ConnectField = {
  name: "handle",
  label: "Handle",
  description: "The name of the account.",
  isSecret: false,
  isRequired: true,
  maxLength: 100,
  example: "ada",
};
const password: ConnectField = { ...handle, name: "app_password", label: "App password", isSecret: true };

async function request<S extends z.ZodType>(
  client: PlatformClient,
  path: string,
  schema: S,
  fields: Readonly<Record<string, string>>,
): Promise<Result<z.infer<S>>> {
  return await catchConnectionErrors<z.infer<S>>(async () => {
    const response = await callPlatform(client, ORIGIN + path, postForm(fields));
    const body = isOk(response) ? parseBody(schema, response) : undefined;
    if (body !== undefined) {
      return succeeded(body);
    }
    const source = { httpStatus: response.status };
    switch (response.status) {
      case 400:
        return failed(rejected("The platform refused the login.", source, { category: "auth" }));
      case 401:
        return failed(reconnect("The platform no longer accepts the login.", source));
      case 429:
        return failed(rateLimited("The platform accepts no more logins.", source));
      default:
        return failed(temporary("The platform did not answer as expected.", source));
    }
  });
}

/** What a refusal of a login is called; the other functions have no code for it. */
function asLogin<T>(result: Result<T>): Result<T, FaultCode> {
  return result.ok || result.fault.kind !== "rejected"
    ? result
    : failed({ ...result.fault, code: "login_refused" as const });
}

const toTokens = (body: z.infer<typeof Tokens>): TokenSet => secretTokens({ accessToken: body.access_token });

async function requestLogin(client: PlatformClient, fields: Readonly<Record<string, string>>): Promise<LoginResult> {
  const tokens = asLogin(await request(client, "/token", Tokens, fields));
  return tokens.ok ? succeeded({ externalId: "1", displayName: "Ada", tokens: toTokens(tokens.value) }) : tokens;
}

export const scriptedConnector: Connector = {
  methods: [
    {
      kind: "oauth",
      input: [handle],
      clientMetadata: null,
      async start(client, _app, { state, redirectUri, input }) {
        const fields = { state, redirect_uri: redirectUri, login_hint: input["handle"] ?? "" };
        const pushed = asLogin(await request(client, "/par", Started, fields));
        return pushed.ok
          ? succeeded({
              url: new URL(`${ORIGIN}/authorize?request_uri=${pushed.value.request_uri}`),
              state: { requestUri: pushed.value.request_uri },
            })
          : pushed;
      },
      async exchangeCode(client, _app, { params, started }) {
        const code = authorizationCode(params);
        const { requestUri } = StartState.parse(started);
        return code.ok ? await requestLogin(client, { code: code.value, request_uri: requestUri }) : code;
      },
    },
    {
      kind: "credentials",
      fields: [handle, password],
      signIn: async (client, _app, values) => await requestLogin(client, values),
    },
  ],
  async listAccounts(client, _app, { accessToken }) {
    const profile = await request(client, "/profile", Profile, { access_token: accessToken });
    return profile.ok ? succeeded({ accounts: [], unpostable: [] }) : profile;
  },
  tokenRefresh: {
    kind: "refresh",
    aheadMs: 60_000,
    canRefresh: () => true,
    async refresh(client, _app, { refreshToken }) {
      const tokens = await request(client, "/token", Tokens, { refresh_token: refreshToken ?? "" });
      return tokens.ok ? succeeded(toTokens(tokens.value)) : tokens;
    },
  },
  async revoke(client, _app, { accessToken }) {
    await request(client, "/revoke", z.unknown(), { token: accessToken });
  },
};

const refused = [{ name: "refused", responses: [400], fault: REFUSED }] as const;
const ended = [{ name: "ended", responses: [401], fault: LOGIN_ENDED }] as const;

export const scriptedConnectorSample: ConnectSample = {
  methods: [
    {
      kind: "oauth",
      input: { handle: "ada" },
      start: { responses: [{ json: { request_uri: "urn:request:1" } }], refusals: refused },
      params: { code: "c", state: "s" },
      exchangeCode: { responses: [tokenResponse()], refusals: refused },
    },
    {
      kind: "credentials",
      values: { handle: "ada", app_password: "a-password" },
      signIn: { responses: [tokenResponse()], refusals: refused },
    },
  ],
  tokens: secretTokens(),
  listAccounts: { responses: [{ json: { name: "ada" } }], refusals: ended },
  refresh: { responses: [tokenResponse()], refusals: ended },
  revoke: { responses: [200] },
};
