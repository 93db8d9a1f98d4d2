import type { LibraryPart } from './part.ts'

/** Designed texts as TEXT visuals: change the words, keep the form. */

const rise = `.line { display: block; animation: rise 0.7s cubic-bezier(0.2, 0.8, 0.2, 1) both }
.line + .line { animation-delay: 0.15s }
@keyframes rise { from { opacity: 0; transform: translateY(40px) } to { opacity: 1; transform: none } }`

const part = (
  slug: string,
  title: string,
  description: string,
  { width, height, css, html }: { width: number; height: number; css?: string; html: string },
): LibraryPart => ({
  ...{ slug, title, description, category: 'text', width, height },
  content: {
    type: 'TEXT',
    html,
    ...{ width, height, position: 'center-center' },
    ...(css !== undefined && { customCode: { css, animationDuration: 2 } }),
  },
})

export const designTemplates: readonly LibraryPart[] = [
  part(
    'title-card',
    'Title card',
    'A large title over a line of small capitals; the lines rise one after the other',
    {
      ...{ width: 1000, height: 320, css: rise },
      html: `<div style="font-family:'Archivo Black';color:#ffffff;text-align:center"><span class="line" style="font-size:110px;line-height:1.1">A new season</span><span class="line" style="font-family:'Space Grotesk';font-size:34px;letter-spacing:0.2em;margin-top:24px;color:#ffb48a">SPRING 2030</span></div>`,
    },
  ),
  part(
    'lower-third',
    'Lower third',
    'A name and a role beside a bar, for the lower left of a frame',
    {
      ...{ width: 720, height: 150, css: rise },
      html: `<div style="box-sizing:border-box;height:150px;border-left:10px solid #ff7a59;padding:16px 32px;background:rgba(16,24,40,0.85);color:#ffffff"><span class="line" style="font-family:'Inter';font-weight:700;font-size:52px;line-height:1.2">Ada Lovelace</span><span class="line" style="font-family:'Inter';font-size:30px;line-height:1.4;color:#cbd5e1">Mathematician</span></div>`,
    },
  ),
  part('quote', 'Quote', 'A quotation with its author, in a serif', {
    ...{ width: 900, height: 420 },
    html: `<div style="font-family:'Playfair Display';color:#fff6ea;text-align:center"><div style="font-size:64px;line-height:1.25">“The field does not hurry, and everything in it is done.”</div><div style="font-family:'Space Grotesk';font-size:28px;margin-top:36px;color:#ffb48a">Ilse Varga</div></div>`,
  }),
  part('price-badge', 'Price badge', 'A price beside the former price, in a pill', {
    ...{ width: 520, height: 140 },
    html: `<div style="display:flex;align-items:center;justify-content:center;gap:28px;height:140px;border-radius:70px;background:#ff7a59;font-family:'Archivo Black';color:#ffffff"><span style="font-size:72px">$89</span><span style="font-size:36px;text-decoration:line-through;opacity:0.75">$129</span></div>`,
  }),
  part(
    'call-to-action',
    'Call to action',
    'A button with an address under it, for the end of a film',
    {
      ...{ width: 760, height: 240, css: rise },
      html: `<div style="font-family:'Sora';text-align:center"><span class="line" style="display:inline-block;padding:28px 64px;border-radius:60px;background:#ffffff;color:#101828;font-weight:700;font-size:48px">Try it today</span><span class="line" style="margin-top:28px;font-size:30px;color:#cbd5e1">example.com</span></div>`,
    },
  ),
  part('callout', 'Callout', 'A hint in a card with a coloured edge', {
    ...{ width: 640, height: 200 },
    html: `<div style="box-sizing:border-box;height:200px;padding:36px 40px;border-radius:28px;background:#ffffff;border-bottom:10px solid #ff7a59;font-family:'DM Sans';color:#101828"><div style="font-weight:700;font-size:40px">Did you know?</div><div style="font-size:28px;margin-top:12px;color:#475467">It takes less than a minute.</div></div>`,
  }),
]
