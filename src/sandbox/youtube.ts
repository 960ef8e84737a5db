import type { Sim, Simulator } from "./contract.ts";
import { bearer, liveToken, revokeLogin } from "./grants.ts";
import { problem } from "./youtube/answers.ts";
import { CHANNELS } from "./youtube/channels.ts";
import { authorize, revoke, token } from "./youtube/login.ts";
import { spendUnits } from "./youtube/quota.ts";
import { receive, startSession } from "./youtube/sessions.ts";
import { deleteVideo, listChannels, listVideos, playlistItems } from "./youtube/videos.ts";

/* Plays Google's login, the YouTube Data API v3 and its resumable uploads, by platforms/youtube.md part 6. */

const ACCOUNTS = "accounts.google.com";
const OAUTH = "oauth2.googleapis.com";
const API = ["www.googleapis.com", "youtube.googleapis.com"];

const READ_UNITS = 1;
const DELETE_UNITS = 50;

function api(request: Request, url: URL, sim: Sim): Response | Promise<Response> {
  const session = liveToken(sim, bearer(request) ?? "", "access");
  if (!session) {
    return problem(401, "authError", "Request had invalid authentication credentials.", "global");
  }
  switch (`${request.method} ${url.pathname}`) {
    case "POST /upload/youtube/v3/videos":
      return startSession(request, url, sim, session);
    case "PUT /upload/youtube/v3/videos":
      return receive(request, url, sim, session);
    case "GET /youtube/v3/channels":
      return spendUnits(sim, READ_UNITS) ?? listChannels(session, url);
    case "GET /youtube/v3/videos":
      return spendUnits(sim, READ_UNITS) ?? listVideos(sim, session, url);
    case "DELETE /youtube/v3/videos":
      return spendUnits(sim, DELETE_UNITS) ?? deleteVideo(sim, session, url);
    case "GET /youtube/v3/playlistItems":
      return spendUnits(sim, READ_UNITS) ?? playlistItems(sim, session, url);
    default:
      return problem(404, "notFound", "Not Found", "global");
  }
}

const accountsOf = (login: string): readonly string[] => (CHANNELS[login] ?? []).map((channel) => channel.id);

export const simulator: Simulator = {
  platform: "youtube",
  hosts: [ACCOUNTS, OAUTH, ...API],
  logins: [
    { name: "ada", accounts: accountsOf("ada"), description: "a verified channel" },
    {
      name: "ben",
      accounts: accountsOf("ben"),
      description: "a channel without phone verification: at most 15 minutes a video",
    },
    { name: "cleo", accounts: [], description: "a Google user without a channel" },
    { name: "dora", accounts: accountsOf("dora"), description: "two channels; uploads go to the first" },
  ],
  async handle(request, sim) {
    const url = new URL(request.url);
    if (API.includes(url.hostname)) {
      return api(request, url, sim);
    }
    switch (`${request.method} ${url.hostname}${url.pathname}`) {
      case `GET ${ACCOUNTS}/o/oauth2/v2/auth`:
        return authorize(url, sim, simulator.logins);
      case `POST ${OAUTH}/token`:
        return token(request, sim);
      case `POST ${OAUTH}/revoke`:
        return revoke(request, url, sim);
      default:
        return new Response("not found", { status: 404 });
    }
  },
  revoke(account, sim) {
    const login = Object.keys(CHANNELS).find((name) => name === account || accountsOf(name).includes(account));
    return login !== undefined && revokeLogin(sim, login);
  },
};
