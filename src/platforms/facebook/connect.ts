import { DAY } from "#core/clock.ts";
import type { Connector, PostableAccount, UnpostableAccount } from "#platforms/contract.ts";
import { succeeded } from "#platforms/fault.ts";
import {
  dialogUrl,
  exchangeDialogCode,
  listPages,
  refreshDialogLogin,
  revokeDialogLogin,
} from "#platforms/graph-login.ts";
import { findMissingScopes } from "#platforms/oauth-token.ts";
import { redirectLogin } from "#platforms/redirect-login.ts";
import { Page } from "./answers.ts";
import { graphUrl, loginDialog } from "./hosts.ts";
import { readSignedRequest } from "#platforms/signed-request.ts";

/** `business_management` lists the Pages that a business owns; posting works without it. */
const SCOPES = ["pages_show_list", "pages_read_engagement", "pages_manage_posts", "business_management"] as const;
const REQUIRED_SCOPES = SCOPES.slice(0, 3);
const PAGE_FIELDS = "id,name,username,access_token,tasks,picture.type(large)";

export const connect: Connector = {
  methods: [
    redirectLogin({
      authorizeUrl: (app, request) => dialogUrl(loginDialog(app, SCOPES), app, request),

      exchangeCode: async (client, app, exchange) =>
        await exchangeDialogCode(client, loginDialog(app, SCOPES), app, exchange, {}),
    }),
  ],

  async listAccounts(client, app, tokens) {
    const pages = await listPages(client, graphUrl(app), tokens, PAGE_FIELDS, Page);
    if (!pages.ok) {
      return pages;
    }
    const missingScopes = findMissingScopes(REQUIRED_SCOPES, tokens.scopes);
    const accounts: PostableAccount[] = [];
    const unpostable: UnpostableAccount[] = [];
    for (const page of pages.value) {
      const displayName = page.name ?? page.username ?? page.id;
      const canPost = page.tasks?.some((task) => task === "CREATE_CONTENT" || task === "MANAGE") ?? true;
      if (!canPost || !page.access_token) {
        const reason = "Your role on this Page does not allow creating posts.";
        unpostable.push({ platformAccountId: page.id, displayName, reason });
        continue;
      }
      accounts.push({
        platformAccountId: page.id,
        username: page.username ?? displayName,
        displayName,
        avatarUrl: page.picture?.data?.url ?? null,
        profileUrl: `https://www.facebook.com/${page.username ?? page.id}`,
        missingScopes,
        capabilities: {},
        // A Page token that was created from a long-lived token does not expire by itself.
        token: page.access_token,
      });
    }
    return succeeded({ accounts, unpostable });
  },

  tokenRefresh: {
    kind: "refresh",
    aheadMs: 15 * DAY,
    canRefresh: () => true,
    refresh: async (client, app, tokens, now) =>
      await refreshDialogLogin(client, loginDialog(app, SCOPES), app, tokens, now),
  },

  revoke: async (client, app, tokens) => await revokeDialogLogin(client, loginDialog(app, SCOPES), tokens),

  readSignedRequest,
};
