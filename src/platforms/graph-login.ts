import { z } from "@hono/zod-openapi";
import type { JsonObject } from "#core/json.ts";
import { type PlatformResponse, callPlatform, Id, isOk, parseBody, faultOf } from "./response.ts";
import type { AppCredentials, CodeExchange, Fault, LoginResult, PlatformClient, Result, TokenSet } from "./contract.ts";
import type { AuthorizeRequest } from "./redirect-login.ts";
import { failed, reconnect, succeeded } from "./fault.ts";
import { bearerHeader, type RequestFields, postForm, withQuery } from "./request-encoding.ts";
import {
  graphError,
  graphFault,
  graphGet,
  graphSource,
  graphList,
  nextCursor,
  withAppSecretProof,
} from "./graph-api.ts";
import {
  authorizationCode,
  expiresAtFrom,
  catchConnectionErrors,
  appMisconfigured,
  readTokens,
  type TokenResponse,
} from "./oauth-token.ts";

/* The login through Meta's login dialog, in which one user can have many Pages. For all platforms whose accounts
   belong to a Page. */

export interface LoginDialog {
  readonly dialogUrl: string;
  /** The base URL of the Graph API, with its version. */
  readonly graphUrl: string;
  readonly scopes: readonly string[];
}

const MAX_LIST_PAGES = 50;

/** The permission that also lists the Pages of the user's businesses. */
const BUSINESS_SCOPE = "business_management";

/**
 * The scopes that the dialog requests. Meta refuses the whole login if the app lacks one ("Invalid Scopes"). So the
 * scope for businesses is requested only if the operator states with `BUSINESS_MANAGEMENT=true` that the app has it.
 */
export function dialogScopes(app: AppCredentials, required: readonly string[]): readonly string[] {
  return app.settings["BUSINESS_MANAGEMENT"] === "true" ? [...required, BUSINESS_SCOPE] : required;
}

export function dialogUrl(dialog: LoginDialog, app: AppCredentials, request: AuthorizeRequest): URL {
  const configuration = app.settings["CONFIG_ID"];
  return withQuery(dialog.dialogUrl, {
    client_id: app.clientId,
    redirect_uri: request.redirectUri,
    state: request.state,
    response_type: "code",
    // `rerequest` makes the dialog ask again for a permission that the user has declined. A configuration needs none of
    // this, because the user grants it as a whole.
    ...(configuration ? { config_id: configuration } : { scope: dialog.scopes.join(","), auth_type: "rerequest" }),
  });
}

const GraphUser = z.looseObject({ id: Id, name: z.string().nullish() });
const Permissions = graphList(z.looseObject({ permission: z.string(), status: z.string() }));

/**
 * Exchanges the code for a short-lived token and this for a long-lived one, then reads the user and the granted scopes.
 */
export async function exchangeDialogCode(
  client: PlatformClient,
  dialog: LoginDialog,
  app: AppCredentials,
  exchange: CodeExchange,
  extra: JsonObject,
): Promise<LoginResult> {
  const code = authorizationCode(exchange.params);
  if (!code.ok) {
    return code;
  }
  return await catchConnectionErrors(async () => {
    const shortLived = await requestDialogToken(client, dialog, app, {
      redirect_uri: exchange.redirectUri,
      code: code.value,
    });
    if (!shortLived.ok) {
      return shortLived;
    }
    const longLived = await exchangeForLongLivedToken(client, dialog, app, shortLived.value.accessToken);
    if (!longLived.ok) {
      return longLived;
    }
    const { accessToken } = longLived.value;
    const proving = withAppSecretProof(client, app);
    const [userResponse, permissionsResponse] = await Promise.all([
      graphGet(proving, `${dialog.graphUrl}/me`, accessToken, { fields: "id,name" }),
      graphGet(proving, `${dialog.graphUrl}/me/permissions`, accessToken),
    ]);
    const user = isOk(userResponse) ? parseBody(GraphUser, userResponse) : undefined;
    const permissions = isOk(permissionsResponse) ? parseBody(Permissions, permissionsResponse) : undefined;
    if (!user || !permissions) {
      return failed(unexpectedResponse(user ? permissionsResponse : userResponse));
    }
    const scopes = permissions.data.filter((entry) => entry.status === "granted").map((entry) => entry.permission);
    return succeeded({
      externalId: user.id,
      displayName: user.name ?? user.id,
      tokens: { ...longLivedTokens(longLived.value, exchange.now), scopes, extra },
    });
  });
}

/** Gets a token with a later expiry. The API has no refresh call, but exchanging a valid token has this effect. */
export async function refreshDialogLogin(
  client: PlatformClient,
  dialog: LoginDialog,
  app: AppCredentials,
  tokens: TokenSet,
  now: number,
): Promise<Result<TokenSet>> {
  return await catchConnectionErrors(async () => {
    const longLived = await exchangeForLongLivedToken(client, dialog, app, tokens.accessToken);
    return longLived.ok ? succeeded({ ...tokens, ...longLivedTokens(longLived.value, now) }) : longLived;
  });
}

/** Revokes everything that this user granted, for all of their Pages and accounts. */
export async function revokeDialogLogin(
  client: PlatformClient,
  dialog: LoginDialog,
  app: AppCredentials,
  tokens: TokenSet,
): Promise<void> {
  await catchConnectionErrors(async () =>
    succeeded(
      await callPlatform(withAppSecretProof(client, app), `${dialog.graphUrl}/me/permissions`, {
        method: "DELETE",
        headers: bearerHeader(tokens.accessToken),
      }),
    ),
  );
}

/** The token set of a long-lived Graph token, which has no refresh token. */
export function longLivedTokens(response: TokenResponse, now: number) {
  return {
    accessToken: response.accessToken,
    refreshToken: null,
    expiresAt: expiresAtFrom(now, response.expiresInSeconds),
    refreshExpiresAt: null,
  };
}

async function exchangeForLongLivedToken(
  client: PlatformClient,
  dialog: LoginDialog,
  app: AppCredentials,
  shortLived: string,
): Promise<Result<TokenResponse>> {
  return await requestDialogToken(client, dialog, app, {
    grant_type: "fb_exchange_token",
    fb_exchange_token: shortLived,
  });
}

async function requestDialogToken(
  client: PlatformClient,
  dialog: LoginDialog,
  app: AppCredentials,
  fields: RequestFields,
): Promise<Result<TokenResponse>> {
  // The endpoint also accepts a GET, but its URL would contain the secret, the code and the token.
  const response = await callPlatform(
    client,
    `${dialog.graphUrl}/oauth/access_token`,
    postForm({ client_id: app.clientId, client_secret: app.clientSecret, ...fields }),
  );
  return toTokens(response);
}

/**
 * Exchanges a token for another on hosts that accept only a GET with query parameters (a POST gets "Unsupported request
 * - method type: post"). These URLs contain secrets, so errors, logs and records must never contain the URL of a
 * platform call.
 */
export async function requestGraphToken(
  client: PlatformClient,
  url: string,
  fields: RequestFields,
): Promise<Result<TokenResponse>> {
  return toTokens(await callPlatform(client, withQuery(url, fields)));
}

function toTokens(response: PlatformResponse): Result<TokenResponse> {
  const tokens = isOk(response) ? readTokens(response) : undefined;
  return tokens ? succeeded(tokens) : failed(loginFault(response));
}

/** Exchanges a valid token for one with a later expiry. */
export async function renewGraphToken(
  client: PlatformClient,
  url: string,
  grantType: string,
  tokens: TokenSet,
  now: number,
): Promise<Result<TokenSet>> {
  return await catchConnectionErrors(async () => {
    const renewed = await requestGraphToken(client, url, { grant_type: grantType, access_token: tokens.accessToken });
    if (!renewed.ok) {
      return renewed;
    }
    const { accessToken, expiresInSeconds } = renewed.value;
    return succeeded({ ...tokens, accessToken, expiresAt: expiresAtFrom(now, expiresInSeconds) });
  });
}

/**
 * The fault of a token call. Here error 100 means an invalid or used code or token, and 101 an unknown app or a wrong
 * app secret.
 */
export function loginFault(response: PlatformResponse) {
  const error = graphError(response);
  if (error?.code === 101 || (error?.code === 1 && /client secret/i.test(error.message))) {
    return appMisconfigured(response.status, String(error.code));
  }
  if (error?.code === 100) {
    return reconnect(
      "The platform no longer accepts this login. Connect the account again.",
      graphSource(response, error),
    );
  }
  return unexpectedResponse(response);
}

function unexpectedResponse(response: PlatformResponse) {
  return faultOf(response, "The platform's response to the login is not what its documentation describes.", graphFault);
}

const POSTING_TASKS = new Set(["CREATE_CONTENT", "MANAGE", "FULL_CONTROL"]);

/**
 * Whether a list of tasks allows creating posts; null if there is no list. New Pages write each task with a prefix
 * (`PROFILE_PLUS_CREATE_CONTENT`; api_specs/specs/enum_types.json of Meta's business-sdk-codegen).
 */
export function hasPostingTask(tasks: readonly string[] | null | undefined): boolean | null {
  return tasks ? tasks.some((task) => POSTING_TASKS.has(task.replace(/^PROFILE_PLUS_/, ""))) : null;
}

const Business = z.looseObject({ id: Id });

/**
 * Lists every Page of the user once, in the order of the first list that has it. `/me/accounts` omits some Pages, so
 * the lists of the user's businesses complete it. Only `/me/accounts` has the field `tasks`; business lists refuse it
 * with error 100. Their `permitted_tasks` are the tasks that the business can assign, not those of the user.
 */
export async function listPages<S extends z.ZodType<{ id: string }>>(
  client: PlatformClient,
  app: AppCredentials,
  graph: string,
  tokens: TokenSet,
  fields: string,
  PageSchema: S,
): Promise<Result<readonly z.infer<S>[]>> {
  const proving = withAppSecretProof(client, app);
  const read = async <T extends z.ZodType>(path: string, listFields: string, item: T) =>
    await fetchWholeList(proving, `${graph}/${path}`, tokens.accessToken, listFields, item);
  return await catchConnectionErrors(async () => {
    const directPages = await read("me/accounts", `${fields},tasks`, PageSchema);
    if (!directPages.ok || !tokens.scopes.includes(BUSINESS_SCOPE)) {
      return directPages;
    }
    const pagesById = new Map(directPages.value.map((page) => [page.id, page]));
    const businesses = await read("me/businesses", "id", Business);
    if (!businesses.ok) {
      return isPermissionFault(businesses.fault) ? directPages : businesses;
    }
    for (const business of businesses.value) {
      for (const edge of ["owned_pages", "client_pages"]) {
        const pages = await read(`${encodeURIComponent(business.id)}/${edge}`, fields, PageSchema);
        if (!pages.ok && !isPermissionFault(pages.fault)) {
          return pages;
        }
        for (const page of pages.ok ? pages.value : []) {
          pagesById.set(page.id, pagesById.get(page.id) ?? page);
        }
      }
    }
    return succeeded([...pagesById.values()]);
  });
}

/** Whether a business denies the user its lists. This does not end the login, which can still list all other Pages. */
function isPermissionFault(fault: Fault): boolean {
  return fault.kind === "reconnect" && fault.category === "permission";
}

async function fetchWholeList<S extends z.ZodType>(
  client: PlatformClient,
  url: string,
  accessToken: string,
  fields: string,
  item: S,
): Promise<Result<readonly z.infer<S>[]>> {
  const List = graphList(item);
  const all: z.infer<S>[] = [];
  let after: string | undefined;
  for (let page = 0; page < MAX_LIST_PAGES; page++) {
    const response = await graphGet(client, url, accessToken, { fields, limit: 100, after });
    const list = isOk(response) ? parseBody(List, response) : undefined;
    if (!list) {
      return failed(unexpectedResponse(response));
    }
    all.push(...list.data);
    after = nextCursor(list.paging);
    if (after === undefined) {
      break;
    }
  }
  return succeeded(all);
}
