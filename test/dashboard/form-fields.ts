export type Fields = Record<string, string | readonly string[]>;

const decode = (text: string) =>
  text
    .replaceAll("&quot;", '"')
    .replaceAll("&#39;", "'")
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&amp;", "&");

/** The fields of the page's first form with the action, as a browser sends them when nothing is changed. */
export function formFields(html: string, action: string): Fields {
  const form = new RegExp(`<form[^>]*action="${action}"[^>]*>([\\s\\S]*?)</form>`).exec(html)?.[1] ?? "";
  const fields: Record<string, string[]> = {};
  const add = (name: string, value: string) => (fields[name] = [...(fields[name] ?? []), decode(value)]);
  const attribute = (tag: string, name: string) => new RegExp(`\\s${name}="([^"]*)"`).exec(tag)?.[1];
  for (const [, tag = "", area = ""] of form.matchAll(
    /(<input[^>]*>|<select[^>]*>(?=([\s\S]*?)<\/select>)|<textarea[^>]*>(?=([\s\S]*?)<\/textarea>))/g,
  )) {
    const name = attribute(tag, "name");
    if (name === undefined || / disabled/.test(tag)) {
      continue;
    }
    if (tag.startsWith("<select")) {
      const options = [...area.matchAll(/<option value="([^"]*)"( selected)?/g)];
      add(name, (options.find(([, , selected]) => selected) ?? options[0])?.[1] ?? "");
    } else if (tag.startsWith("<textarea")) {
      const start = form.indexOf(tag) + tag.length;
      const text = form.slice(start, form.indexOf("</textarea>", start));
      add(name, text.replace(/^\n/, ""));
    } else if (!/type="(?:checkbox|radio)"/.test(tag) || / checked/.test(tag)) {
      add(name, attribute(tag, "value") ?? "");
    }
  }
  return fields;
}
