import { cardPage } from "./bridge.ts";

const STYLE = `.t{font-variant-numeric:tabular-nums;font-weight:600}`;

/** The script that shows listed posts by day, without buttons. */
const SCRIPT = `function show(r){const d=r.structuredContent;M.replaceChildren();add(M,"h1","Posts");
if(r.isError||!d||!d.posts){add(M,"p",((r.content||[])[0]||{}).text);return}
if(!d.posts.length){add(M,"p","None.");return}
const z=d.time_zone;let day,u;for(const p of d.posts){const k=clock(p.scheduled_at,z,{dateStyle:"full"});
if(k!==day){day=k;add(M,"h2",k);u=add(M,"ul")}
const l=add(u,"li");add(l,"p",clock(p.scheduled_at,z,{timeStyle:"short"})+" · "+p.platforms.join(", ")+" · "+p.status.replaceAll("_"," "),"t");add(l,"p",p.caption)}
add(M,"p",z+(d.pagination.has_more?" · "+d.pagination.total+" in all":""))}`;

/** The page that MCP hosts show beside a list of posts. */
export const CALENDAR_CARD = cardPage({ title: "Posts", style: STYLE, script: SCRIPT });
