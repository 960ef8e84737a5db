import { getPath } from "hono/utils/url";

/** The path of a request, decoded in the same way as the router does it. */
export function pathOf(request: Request): string {
  const { url } = request;
  if (url.includes("%") || url.includes("#")) {
    return getPath(request);
  }
  const start = url.indexOf("/", url.indexOf(":") + "://".length);
  const end = url.indexOf("?", start);
  return url.slice(start, end === -1 ? undefined : end);
}
