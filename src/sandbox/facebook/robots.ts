/** Whether a robots file forbids a crawler a path: by the groups that name it, and by those for everybody. */
export function forbids(robots: string, crawler: string, path: string): boolean {
  let applies = false;
  // Several names in a row begin one group.
  let isHead = false;
  for (const line of robots.split(/\r?\n/)) {
    const { name = "", value = "" } = /^\s*(?<name>[\w-]+)\s*:\s*(?<value>[^#]*?)\s*(?:#.*)?$/.exec(line)?.groups ?? {};
    if (name.toLowerCase() === "user-agent") {
      const isMeant = value === "*" || crawler.toLowerCase().startsWith(value.toLowerCase());
      applies = isHead ? applies || isMeant : isMeant;
      isHead = true;
    } else if (name !== "") {
      isHead = false;
      // An empty rule forbids nothing.
      if (applies && name.toLowerCase() === "disallow" && value !== "" && path.startsWith(value)) {
        return true;
      }
    }
  }
  return false;
}
