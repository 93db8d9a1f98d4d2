import { createBaker } from './worker/bake/baker.ts'
import { createLog } from './runtime/log.ts'
import { writeFileSync } from 'node:fs'
import sharp from 'sharp'
const baker = createBaker({ log: createLog('t', 'silent'), dataDir: '/tmp/code1/data', isFenced: process.argv[2] === 'f' })
const t0 = performance.now()
try {
const [p] = await baker.bake([{ kind: 'html', markup: '<b class="n">0</b> <i class="m">go</i>', style: { fontSize: '60px', color: '#e02020' }, field: 'visuals[0]',
 code: { css: '.n{display:inline-block;animation:s 1s linear both}@keyframes s{from{transform:translateX(0)}to{transform:translateX(300px) rotate(90deg)}}', js: `const n=document.querySelector('.n'), log=[]; const m=document.querySelector('.m'); let f=0; (function r(t){f++; m.textContent=f+' '+Math.round(performance.now())+' '+Date.now()%100000+' '+Math.random().toFixed(3);requestAnimationFrame(r)})(); let c=0; setInterval(()=>n.textContent=++c,100)`, duration: 1, frameRate: 10 } }], new AbortController().signal)
const { createHash } = await import("node:crypto"); console.log(performance.now()-t0, createHash("sha256").update(p.png).digest("hex").slice(0,12), p.png.length, p.moments!.order.join())
const ms = p.moments!
for (const k of [0,1,2,3,5,ms.order.length-1]) { const q = ms.pictures[ms.order[k]]; writeFileSync(`/tmp/code1/m${k}.png`, await sharp(p.png.subarray(q.offset, q.offset+q.bytes)).flatten({background:'#fff'}).png().toBuffer()) }
} catch (e) { console.log(e) }
console.log(performance.now()-t0)
await baker.close()
