import { cardPage } from "./bridge.ts";

const STYLE = `img{width:72px;height:72px;object-fit:cover;border-radius:6px;margin:4px 4px 0 0}
button{font:inherit;padding:8px 14px;margin-top:10px;border-radius:6px;border:1px solid;cursor:pointer}button:disabled{cursor:default;border-style:dashed}.s{font-weight:600}`;

/**
 * The script that shows a preview with its button. A person should press the button, but the service has no proof of
 * that. If a person must approve, the button requests the approval and opens its page.
 */
const SCRIPT = `function media(l,m){for(const i of m||[])if(i.type==="image"){const g=add(l,"img");g.alt="";g.src=(i.fitted||i).url}else add(l,"p","🎞 video")}
function post(p,z){add(M,"p",p.scheduled_at==="now"?"As soon as you confirm":clock(p.scheduled_at,z,{dateStyle:"full",timeStyle:"short"})+" ("+z+")","s");
const u=add(M,"ul");for(const t of p.targets){const l=add(u,"li");add(l,"p",t.platform+" "+t.username+" · "+t.caption_length+" of "+t.caption_limit,"s");add(l,"p",t.effective_caption);for(const x of [].concat(t.platform_options.thread||[])){add(l,"p",x.caption);media(l,x.media_items)}for(const x of t.warnings)add(l,"p","⚠ "+x.message)}
media(M,p.media_items);
for(const x of p.warnings)add(M,"p","⚠ "+x.message)}
function show(r){const d=r.structuredContent;M.replaceChildren();
if(r.isError||!d||!d.preview){add(M,"h1","No preview");add(M,"p",((r.content||[])[0]||{}).text);return}
const p=d.preview,e=p.action==="edit",ask1=d.confirms==="person";add(M,"h1",e?"Change posts?":"Schedule this post?");
for(const x of e?p.posts.map(x=>x.after):[p])post(x,d.time_zone);
const b=add(M,"button",ask1?"Ask for approval":e?"Change":"Schedule"),s=add(M,"p");s.setAttribute("role","status");
const end=Date.parse(d.expires_at),t=setInterval(tick,1000);let link;
function tick(){const left=Math.ceil((end-Date.now())/1000);if(left<=0){clearInterval(t);b.disabled=true}
s.textContent=left>0?"Valid for "+Math.floor(left/60)+":"+String(left%60).padStart(2,"0"):"Expired: preview again."}tick();
b.onclick=async()=>{if(link)return ask("ui/open-link",{url:link});b.disabled=true;clearInterval(t);s.textContent="…";
try{const c=await ask("tools/call",{name:"confirm_preview",arguments:{confirmation_token:d.confirmation_token}}),x=c.content[0].text,a=((c._meta||{})["almanac/error"]||{}).approval;
if(a&&a.state==="pending"){link=a.url;b.textContent="Open to approve";b.disabled=false;s.textContent="Waits for your approval."}else s.textContent=c.isError?x:e?"Changed.":"Scheduled.";
ask("ui/update-model-context",{content:[{type:"text",text:x}]}).catch(()=>{})}catch(f){s.textContent=String(f.message||f)}size()}}`;

/** The page that MCP hosts show beside the result of a preview. */
export const PREVIEW_CARD = cardPage({ title: "Preview", style: STYLE, script: SCRIPT });
