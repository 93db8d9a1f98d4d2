/** Content of the films of these tests, large enough for several shards; they are never painted. */
export const film = { width: 1920, height: 1280, frameRate: 10, duration: 4 }
export const picture = {
  type: 'IMAGE',
  src: 'https://example.com/photo.png',
  width: 20,
  height: 20,
}
export const words = (html: string) => ({ type: 'TEXT', html })
export const moving = (html: string, seconds: number) => ({
  ...words(html),
  enterEnd: seconds,
  enterAnimation: 'slideleft',
})
