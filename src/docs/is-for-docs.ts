import { type Env, readConfig } from "#config.ts";

/** The path of the documentation on its host, without a final slash. Empty if the documentation has its own host. */
export function docsPathOf(docsUrl: string): string {
  return new URL(docsUrl).pathname.replace(/\/$/, "");
}

const AGENT_FILES = /^\/(?:llms(?:-full)?\.txt|server\.json|\.well-known\/(?:mcp|agent-skills)\/.*)$/;

/** Whether a request is for the documentation or for a file that agents read, and not for a page of the dashboard. */
export function isForDocs(request: Request, env: Env): boolean {
  const { hostname, pathname } = new URL(request.url);
  if (AGENT_FILES.test(pathname)) {
    return true;
  }
  const { docsUrl, origin } = readConfig(env);
  const path = docsPathOf(docsUrl);
  if (path === "") {
    const own = new URL(docsUrl).hostname;
    return own !== new URL(origin).hostname && hostname === own;
  }
  return pathname === path || pathname === `${path}.md` || pathname.startsWith(`${path}/`);
}
