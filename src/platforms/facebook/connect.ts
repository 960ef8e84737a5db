import { DAY } from "#core/clock.ts";
import type { Connect, PostableAccount, UnpostableAccount } from "#platforms/contract.ts";
import { succeeded } from "#platforms/fault.ts";
import {
  dialogUrl,
  exchangeDialogCode,
  pagesOf,
  refreshDialogLogin,
  revokeDialogLogin,
} from "#platforms/graph-login.ts";
import { missingFrom } from "#platforms/oauth-token.ts";
import { Page } from "./answers.ts";
import { graphOf, loginOf } from "./hosts.ts";

/** The last one lists the Pages that a business owns; posting works without it. */
const SCOPES = ["pages_show_list", "pages_read_engagement", "pages_manage_posts", "business_management"] as const;
const NEEDED = SCOPES.slice(0, 3);
const PAGE_FIELDS = "id,name,username,access_token,tasks,picture.type(large)";

export const connect: Connect = {
  authorizeUrl: (app, request) => dialogUrl(loginOf(app, SCOPES), app, request),

  exchange: async (client, app, exchange) => await exchangeDialogCode(client, loginOf(app, SCOPES), app, exchange, {}),

  async accounts(client, app, tokens) {
    const pages = await pagesOf(client, graphOf(app), tokens, PAGE_FIELDS, Page);
    if (!pages.ok) {
      return pages;
    }
    const missingScopes = missingFrom(NEEDED, tokens.scopes);
    const accounts: PostableAccount[] = [];
    const unpostable: UnpostableAccount[] = [];
    for (const page of pages.value) {
      const displayName = page.name ?? page.username ?? page.id;
      const mayPost = page.tasks?.some((task) => task === "CREATE_CONTENT" || task === "MANAGE") ?? true;
      if (!mayPost || !page.access_token) {
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
        // Derived from a long-lived login it does not expire by itself.
        token: page.access_token,
      });
    }
    return succeeded({ accounts, unpostable });
  },

  refresh: async (client, app, tokens, now) => await refreshDialogLogin(client, loginOf(app, SCOPES), app, tokens, now),
  refreshAheadMs: 15 * DAY,

  revoke: async (client, app, tokens) => await revokeDialogLogin(client, loginOf(app, SCOPES), tokens),
};
