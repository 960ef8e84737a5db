import { type Env, readConfig } from "#config.ts";

/** The path of the documentation on its host, without a slash at its end: empty where it has a host of its own. */
export function docsPathOf(docsUrl: string): string {
  return new URL(docsUrl).pathname.replace(/\/$/, "");
}

const AGENT_FILES = /^\/(?:llms(?:-full)?\.txt|server\.json|\.well-known\/(?:mcp|agent-skills)\/.*)$/;

/** Whether a request is for the documentation, or for a file that agents look for beside it. */
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
  return pathname === path || pathname.startsWith(`${path}/`);
}
