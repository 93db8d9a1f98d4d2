import { hints, object, string, text, tool } from '../tool.ts'

export const deleteTemplate = tool<{ template: string }>({
  name: 'delete_template',
  title: 'Delete a template',
  description: 'Deletes a template for good. Renders made from it stay. Ask the person first.',
  hints: hints.spends,
  input: object({ template: string() }),
  async run({ template }, { farm, signal }) {
    await farm.templates.delete(template, { signal })
    return text(`Deleted ${template}.`)
  },
})
