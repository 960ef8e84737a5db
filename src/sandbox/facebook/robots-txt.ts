/** Whether a robots.txt forbids a path to a crawler, in the groups for that crawler and for `*`. */
export function isDisallowed(robotsTxt: string, crawler: string, path: string): boolean {
  let applies = false;
  // Consecutive user-agent lines belong to one group.
  let isGroupStart = false;
  for (const line of robotsTxt.split(/\r?\n/)) {
    const { name = "", value = "" } = /^\s*(?<name>[\w-]+)\s*:\s*(?<value>[^#]*?)\s*(?:#.*)?$/.exec(line)?.groups ?? {};
    if (name.toLowerCase() === "user-agent") {
      const matchesCrawler = value === "*" || crawler.toLowerCase().startsWith(value.toLowerCase());
      applies = isGroupStart ? applies || matchesCrawler : matchesCrawler;
      isGroupStart = true;
    } else if (name !== "") {
      isGroupStart = false;
      // An empty Disallow allows everything.
      if (applies && name.toLowerCase() === "disallow" && value !== "" && path.startsWith(value)) {
        return true;
      }
    }
  }
  return false;
}
