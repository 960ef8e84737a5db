import { z } from "@hono/zod-openapi";
import type { JsonObject } from "#core/json.ts";
import { type Answer, call, Id, isOk, read } from "./answer.ts";
import type {
  AppCredentials,
  AuthorizeRequest,
  CodeExchange,
  Login,
  Result,
  TokenSet,
  PlatformClient,
} from "./contract.ts";
import { failed, reconnect, succeeded, temporary } from "./fault.ts";
import { bearer, type Fields, withQuery } from "./form.ts";
import { graphError, graphFault, graphGet, graphSource, listOf, nextCursor } from "./graph.ts";
import { codeFrom, expiry, guarded, misconfigured, readTokens, type TokenAnswer } from "./oauth-token.ts";

/*
 * Login through the dialog of the Graph house: one person, many pages. Used by every platform whose accounts stand
 * behind a page.
 */

export interface DialogLogin {
  /** Where the browser goes, with its version. */
  readonly dialog: string;
  /** The Graph's address with its version. */
  readonly graph: string;
  readonly scopes: readonly string[];
}

const MOST_LIST_PAGES = 50;

export function dialogUrl(login: DialogLogin, app: AppCredentials, request: AuthorizeRequest): URL {
  const configuration = app.settings["CONFIG_ID"];
  return withQuery(login.dialog, {
    client_id: app.clientId,
    redirect_uri: request.redirectUri,
    state: request.state,
    response_type: "code",
    ...(configuration ? { config_id: configuration } : { scope: login.scopes.join(",") }),
  });
}

const Person = z.looseObject({ id: Id, name: z.string().nullish() });
const Permissions = listOf(z.looseObject({ permission: z.string(), status: z.string() }));

/** The code for a short-lived token, that one for a long-lived one, then who it is and what was granted. */
export async function exchangeDialogCode(
  client: PlatformClient,
  login: DialogLogin,
  app: AppCredentials,
  exchange: CodeExchange,
  extra: JsonObject,
): Promise<Result<Login>> {
  const code = codeFrom(exchange.params);
  if (!code.ok) {
    return code;
  }
  return await guarded(async () => {
    const short = await token(client, login, app, { redirect_uri: exchange.redirectUri, code: code.value });
    if (!short.ok) {
      return short;
    }
    const long = await lengthen(client, login, app, short.value.accessToken);
    if (!long.ok) {
      return long;
    }
    const { accessToken } = long.value;
    const [who, granted] = await Promise.all([
      graphGet(client, `${login.graph}/me`, accessToken, { fields: "id,name" }),
      graphGet(client, `${login.graph}/me/permissions`, accessToken),
    ]);
    const person = isOk(who) ? read(Person, who) : undefined;
    const permissions = isOk(granted) ? read(Permissions, granted) : undefined;
    if (!person || !permissions) {
      return failed(unexpected(person ? granted : who));
    }
    const scopes = permissions.data.filter((one) => one.status === "granted").map((one) => one.permission);
    return succeeded({
      externalId: person.id,
      displayName: person.name ?? person.id,
      tokens: { ...longLived(long.value, exchange.now), scopes, extra },
    });
  });
}

/** There is no refresh call: exchanging a token that is still alive gives a younger one. */
export async function refreshDialogLogin(
  client: PlatformClient,
  login: DialogLogin,
  app: AppCredentials,
  tokens: TokenSet,
  now: number,
): Promise<Result<TokenSet>> {
  return await guarded(async () => {
    const long = await lengthen(client, login, app, tokens.accessToken);
    return long.ok ? succeeded({ ...tokens, ...longLived(long.value, now) }) : long;
  });
}

/** Takes back everything this person granted, for every page and account behind it. */
export async function revokeDialogLogin(client: PlatformClient, login: DialogLogin, tokens: TokenSet): Promise<void> {
  await guarded(async () =>
    succeeded(
      await call(client, `${login.graph}/me/permissions`, { method: "DELETE", headers: bearer(tokens.accessToken) }),
    ),
  );
}

/** What a long-lived token of the Graph house comes with. */
export function longLived(answer: TokenAnswer, now: number) {
  return {
    accessToken: answer.accessToken,
    refreshToken: null,
    expiresAt: expiry(now, answer.expiresInSeconds),
    refreshExpiresAt: null,
  };
}

async function lengthen(
  client: PlatformClient,
  login: DialogLogin,
  app: AppCredentials,
  shortLived: string,
): Promise<Result<TokenAnswer>> {
  return await token(client, login, app, { grant_type: "fb_exchange_token", fb_exchange_token: shortLived });
}

async function token(
  client: PlatformClient,
  login: DialogLogin,
  app: AppCredentials,
  fields: Fields,
): Promise<Result<TokenAnswer>> {
  return await tokenBy(client, `${login.graph}/oauth/access_token`, {
    client_id: app.clientId,
    client_secret: app.clientSecret,
    ...fields,
  });
}

/** A token for another one, as the Graph house hands them out: by a GET. */
export async function tokenBy(client: PlatformClient, url: string, fields: Fields): Promise<Result<TokenAnswer>> {
  const answer = await call(client, withQuery(url, fields));
  const tokens = isOk(answer) ? readTokens(answer) : undefined;
  return tokens ? succeeded(tokens) : failed(loginFault(answer));
}

/** A younger token for one that is still alive. */
export async function renewBy(
  client: PlatformClient,
  url: string,
  grantType: string,
  tokens: TokenSet,
  now: number,
): Promise<Result<TokenSet>> {
  return await guarded(async () => {
    const young = await tokenBy(client, url, { grant_type: grantType, access_token: tokens.accessToken });
    if (!young.ok) {
      return young;
    }
    const { accessToken, expiresInSeconds } = young.value;
    return succeeded({ ...tokens, accessToken, expiresAt: expiry(now, expiresInSeconds) });
  });
}

/** Code 100 on a token call is a dead code or token, 101 an app that does not exist or whose secret is wrong. */
export function loginFault(answer: Answer) {
  const error = graphError(answer);
  if (error?.code === 101 || (error?.code === 1 && /client secret/i.test(error.message))) {
    return misconfigured(answer.status, String(error.code));
  }
  if (error?.code === 100) {
    return reconnect(
      "The platform no longer accepts this login. Connect the account again.",
      graphSource(answer, error),
    );
  }
  return isOk(answer) ? unexpected(answer) : graphFault(answer);
}

function unexpected(answer: Answer) {
  return isOk(answer)
    ? temporary("The platform answered the login with something else than its document says.", {
        httpStatus: answer.status,
      })
    : graphFault(answer);
}

const Business = z.looseObject({ id: Id });

/**
 * Every page of the person, those of their businesses included: the plain list leaves some of those out. Pages come in
 * the order of the first list that has them, each once, and once more when a later list brings what was missing.
 */
export async function pagesOf<S extends z.ZodType<{ id: string }>>(
  client: PlatformClient,
  graph: string,
  tokens: TokenSet,
  fields: string,
  Page: S,
): Promise<Result<readonly z.infer<S>[]>> {
  return await guarded(async () => {
    const direct = await everyPage(client, `${graph}/me/accounts`, tokens.accessToken, fields, Page);
    if (!direct.ok) {
      return direct;
    }
    const found = new Map(direct.value.map((page) => [page.id, page]));
    if (tokens.scopes.includes("business_management")) {
      const businesses = await everyPage(client, `${graph}/me/businesses`, tokens.accessToken, "id", Business);
      if (!businesses.ok && businesses.fault.kind !== "reconnect" && businesses.fault.kind !== "rejected") {
        return businesses;
      }
      for (const business of businesses.ok ? businesses.value : []) {
        for (const edge of ["owned_pages", "client_pages"]) {
          const url = `${graph}/${encodeURIComponent(business.id)}/${edge}`;
          const pages = await everyPage(client, url, tokens.accessToken, fields, Page);
          if (!pages.ok && (pages.fault.kind === "temporary" || pages.fault.kind === "rate_limited")) {
            return pages;
          }
          for (const page of pages.ok ? pages.value : []) {
            found.set(page.id, found.get(page.id) ?? page);
          }
        }
      }
    }
    return succeeded([...found.values()]);
  });
}

async function everyPage<S extends z.ZodType>(
  client: PlatformClient,
  url: string,
  accessToken: string,
  fields: string,
  item: S,
): Promise<Result<readonly z.infer<S>[]>> {
  const List = listOf(item);
  const all: z.infer<S>[] = [];
  let after: string | undefined;
  for (let page = 0; page < MOST_LIST_PAGES; page++) {
    const answer = await graphGet(client, url, accessToken, { fields, limit: 100, after });
    const list = isOk(answer) ? read(List, answer) : undefined;
    if (!list) {
      return failed(unexpected(answer));
    }
    all.push(...list.data);
    after = nextCursor(list.paging);
    if (after === undefined) {
      break;
    }
  }
  return succeeded(all);
}
