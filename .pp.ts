import { openNapiCanvas } from './worker/paint/napi-canvas.ts'
import { openSkiaCanvas } from './worker/paint/skia-canvas.ts'
import { createPainter } from './worker/paint/painter.ts'
import { texture, badge } from './test/worker/paint/textures.ts'
const W=1280,H=720
const photo=texture(2560,1440,1), text=badge(600,120,2), layer=badge(1280,720,3)
const id=[1,0,0,1,0,0] as const
for (const canvas of process.argv[2]==='skia'?[openSkiaCanvas({device:'any'})]:[openNapiCanvas(), openSkiaCanvas({device:'cpu'})]) {
  console.log(canvas.name, canvas.device)
  const bm=new Map([['photo',canvas.bitmapFromRgba(photo)],['text',canvas.bitmapFromRgba(text)],['layer',canvas.bitmapFromRgba(layer)]])
  const mk=()=>createPainter({backend:canvas,width:W,height:H,bitmap:(p:any)=>bm.get(p.digest)!})
  const fill={op:'fill',rect:[0,0,W,H],color:'#103050'}
  const pic=(digest:string,source:any,dest:any,extra:any={})=>({op:'picture',pixels:{kind:'media',digest},source,dest,matrix:id,opacity:1,...extra})
  const zoom=(i:number)=>{const z=1+i/1000;return [z,0,0,z,W/2*(1-z),H/2*(1-z)]}
  const cases: Record<string,(i:number)=>any[]>={
    'bench: zoom photo + text + layer':(i)=>[fill,pic('photo',[0,0,2560,1440],[0,0,W,H],{matrix:zoom(i),clip:{rect:[0,0,W,H],radii:[0,0,0,0]}}),pic('layer',[0,0,W,H],[0,0,W,H]),pic('text',[0,0,600,120],[340,500,600,120])],
    'small moving image, static photo below':(i)=>[fill,pic('photo',[0,0,2560,1440],[0,0,W,H]),pic('layer',[0,0,W,H],[0,0,W,H]),pic('text',[0,0,600,120],[100+i*3.3,500,600,120])],
    'still':()=>[fill,pic('photo',[0,0,2560,1440],[0,0,W,H]),pic('text',[0,0,600,120],[340,500,600,120])],
  }
  for (const name of ['fade','slideleft','wipeleft','smoothleft','circleopen']) {
    cases['scene '+name]=(i)=>[fill,{op:'transition',name,progress:(i+1)/70,box:[0,0,W,H],from:[fill,pic('photo',[0,0,2560,1440],[0,0,W,H])],to:[fill,pic('layer',[0,0,W,H],[0,0,W,H])]}]
    cases['element '+name]=(i)=>[fill,pic('photo',[0,0,2560,1440],[0,0,W,H]),{op:'transition',name,progress:(i+1)/70,box:[340,500,600,120],from:[],to:[pic('text',[0,0,600,120],[340,500,600,120])]}]
  }
  for (const [name,f] of Object.entries(cases)) for (const flight of canvas.name==='napi'?[1]:[1,3]) {
    const p=mk(); const ts:number[]=[]
    for (let i=0;i<8;i++) await p.paint({width:W,height:H,commands:f(i)})
    const a=performance.now(); let n=8
    await Promise.all(Array.from({length:flight},async()=>{while(n<68){const t=performance.now();await p.paint({width:W,height:H,commands:f(n++)});ts.push(performance.now()-t)}}))
    ts.sort((x,y)=>x-y)
    console.log(name.padEnd(42),'flight',flight,'mean',((performance.now()-a)/60).toFixed(2),'med',ts[30]!.toFixed(2),'min',ts[0]!.toFixed(2))
  }
  console.log('rss', (process.memoryUsage().rss/1e6).toFixed(0))
}
