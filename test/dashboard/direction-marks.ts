/** Texts, attributes and title of a page that hold a mark of direction, by which a name reorders its neighbours. */
export const reordering = `(() => {
  const marks = /[\\u202a-\\u202e\\u2066-\\u2069]/
  const found = []
  const nodes = document.evaluate('//text()|//@*', document, null, XPathResult.ORDERED_NODE_SNAPSHOT_TYPE)
  for (let i = 0; i < nodes.snapshotLength; i += 1) {
    const node = nodes.snapshotItem(i)
    const isField = node.ownerElement?.matches('input, textarea') && node.nodeName === 'value'
    if (!isField && marks.test(node.nodeValue)) found.push(node.nodeName + ' ' + node.nodeValue)
  }
  return found
})()`
