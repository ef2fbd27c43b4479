// What a file holds is there after loading and saving, whether Octet interprets it or not. Messages are built in the
// order and the encoding that the writer uses, so that whole files can be compared byte by byte.
#include <gtest/gtest.h>

#include "tests/onnx/messages.h"

namespace octet {
namespace {

using format::AttributeProto;
using namespace std::string_literals;

// A field that no version of the format has (1000, a number), different in each place.
template <typename Message>
void add_unknown(Message& message, char value) {
  *message.mutable_unknown_fields() += std::string("\xC0\x3E") + value;
}

template <typename Message>
void add_metadata(Message& message, const std::string& value) {
  format::StringStringEntryProto& entry = *message.add_metadata_props();
  entry.set_key("key of " + value);
  entry.set_value(value);
}

AttributeProto& add_attribute(format::NodeProto& node, const std::string& name, AttributeProto::AttributeType type) {
  AttributeProto& attribute = *node.add_attribute();
  attribute.set_name(name);
  attribute.set_type(type);
  attribute.set_doc_string("about " + name);
  return attribute;
}

void fill(format::TensorProto& tensor, const std::string& name) {
  tensor.add_dims(2);
  tensor.set_data_type(3);
  tensor.set_raw_data("\x01\x02");
  tensor.set_name(name);
  tensor.set_doc_string("about " + name);
  add_metadata(tensor, name);
  add_unknown(tensor, 1);
}

void fill(format::SparseTensorProto& tensor, const std::string& name) {
  tensor.add_dims(10);
  fill(*tensor.mutable_values(), name);
  tensor.mutable_indices()->add_dims(2);
  tensor.mutable_indices()->set_data_type(7);
  tensor.mutable_indices()->add_int64_data(3);
  tensor.mutable_indices()->add_int64_data(7);
  add_unknown(tensor, 2);
}

void fill(format::ValueInfoProto& value, const std::string& name) {
  value.set_name(name);
  value.set_doc_string("about " + name);
  add_metadata(value, name);
  add_unknown(value, 3);
}

void fill_tensor_type(format::TypeProto& type) {
  format::TypeProto::Tensor& tensor = *type.mutable_tensor_type();
  type.set_denotation("IMAGE");
  add_unknown(type, 4);
  tensor.set_elem_type(1);
  add_unknown(tensor, 5);
  format::TensorShapeProto& shape = *tensor.mutable_shape();
  add_unknown(shape, 6);
  format::TensorShapeProto::Dimension* dim = shape.add_dim();
  dim->set_dim_param("N");
  dim->set_denotation("DATA_BATCH");
  add_unknown(*dim, 7);
  shape.add_dim()->set_dim_value(3);
  shape.add_dim();
}

void fill_graph(format::GraphProto& graph, const std::string& name) {
  graph.set_name(name);
  graph.set_doc_string("about " + name);
  add_metadata(graph, name);
  add_unknown(graph, 8);
  fill(*graph.add_initializer(), name + "_weights");
  fill(*graph.add_sparse_initializer(), name + "_sparse");
  fill(*graph.add_input(), name + "_in");
  fill_tensor_type(*graph.mutable_input(0)->mutable_type());
  fill(*graph.add_value_info(), name + "_sequence");
  format::TypeProto& sequence = *graph.mutable_value_info(0)->mutable_type();
  sequence.mutable_sequence_type()->mutable_elem_type()->mutable_tensor_type()->set_elem_type(7);
  sequence.set_denotation("a list");
  add_unknown(sequence, 9);
}

// A node with an attribute of every kind.
void fill_node(format::NodeProto& node, const std::string& input, const std::string& output) {
  node.add_input(input);
  node.add_input("");
  node.add_output(output);
  node.set_name("node");
  node.set_op_type("Everything");
  node.set_doc_string("about node");
  node.set_domain("local");
  node.set_overload("second");
  add_metadata(node, "node");
  add_unknown(node, 10);

  AttributeProto& f = add_attribute(node, "a_float", AttributeProto::FLOAT);
  f.set_f(0);
  add_unknown(f, 11);
  add_attribute(node, "b_int", AttributeProto::INT).set_i(-1);
  add_attribute(node, "c_string", AttributeProto::STRING).set_s("\xFF");
  AttributeProto& t = add_attribute(node, "d_tensor", AttributeProto::TENSOR);
  fill(*t.mutable_t(), "tensor of an attribute");
  add_unknown(t, 12);
  add_attribute(node, "e_floats", AttributeProto::FLOATS).add_floats(0.5F);
  add_attribute(node, "f_ints", AttributeProto::INTS);
  add_attribute(node, "g_strings", AttributeProto::STRINGS).add_strings("");
  AttributeProto& tensors = add_attribute(node, "h_tensors", AttributeProto::TENSORS);
  fill(*tensors.add_tensors(), "first tensor");
  tensors.add_tensors()->set_data_type(1);
  tensors.mutable_tensors(1)->add_dims(0);
  tensors.mutable_tensors(1)->set_raw_data("");
  AttributeProto& graph = add_attribute(node, "i_graph", AttributeProto::GRAPH);
  fill_graph(*graph.mutable_g(), "subgraph");
  add_unknown(graph, 13);
  AttributeProto& graphs = add_attribute(node, "j_graphs", AttributeProto::GRAPHS);
  fill_graph(*graphs.add_graphs(), "first");
  fill_graph(*graphs.add_graphs(), "second");
  AttributeProto& sparse = add_attribute(node, "k_sparse", AttributeProto::SPARSE_TENSOR);
  fill(*sparse.mutable_sparse_tensor(), "sparse attribute");
  AttributeProto& type = add_attribute(node, "l_type", AttributeProto::TYPE_PROTO);
  fill_tensor_type(*type.mutable_tp());
}

void fill_function(format::FunctionProto& function) {
  function.set_name("Everything");
  function.add_input("a");
  function.add_output("b");
  function.add_attribute("required");
  function.set_doc_string("about the function");
  format::OperatorSetIdProto& opset = *function.add_opset_import();
  opset.set_domain("");
  opset.set_version(17);
  function.set_domain("local");
  AttributeProto& otherwise = *function.add_attribute_proto();
  otherwise.set_name("optional");
  otherwise.set_type(AttributeProto::INT);
  otherwise.set_i(7);
  add_unknown(otherwise, 14);
  function.set_overload("second");
  fill(*function.add_value_info(), "b");
  fill_tensor_type(*function.mutable_value_info(0)->mutable_type());
  add_metadata(function, "function");
  add_unknown(function, 15);

  format::NodeProto& node = *function.add_node();
  node.add_input("a");
  node.add_output("b");
  node.set_op_type("Something");
  AttributeProto& reference = add_attribute(node, "axis", AttributeProto::INT);
  reference.set_ref_attr_name("required");
  add_unknown(reference, 16);
}

format::ModelProto everything() {
  format::ModelProto message;
  message.set_ir_version(14);
  message.set_producer_name("producer");
  message.set_producer_version("1.2");
  message.set_domain("org.example");
  message.set_model_version(3);
  message.set_doc_string("about the model");
  format::OperatorSetIdProto& opset = *message.add_opset_import();
  opset.set_domain("");
  opset.set_version(21);
  add_unknown(opset, 17);
  format::OperatorSetIdProto& local = *message.add_opset_import();
  local.set_domain("local");
  local.set_version(1);
  fill_graph(*message.mutable_graph(), "main");
  fill_node(*message.mutable_graph()->add_node(), "main_in", "main_out");
  fill(*message.mutable_graph()->add_output(), "main_out");
  fill_function(*message.add_functions());
  add_metadata(message, "model");
  add_unknown(message, 18);
  // Fields of the public format that the schema leaves to the parser: training_info (20), configuration (26).
  *message.mutable_unknown_fields() += "\xA2\x01\x02\x0A\x00\xD2\x01\x03\x0A\x01g"s;
  return message;
}

TEST(RoundTrip, KeepsEveryField) {
  const std::string bytes = everything().SerializeAsString();
  EXPECT_TRUE(serialize_model(parse(bytes)) == bytes);
}

TEST(RoundTrip, KeepsMetadataWithFieldsItDoesNotKnow) {
  format::ModelProto message = small_message();
  add_metadata(message, "odd");
  add_unknown(*message.mutable_metadata_props(0), 1);
  EXPECT_TRUE(serialize_model(parse(message)) == message.SerializeAsString());
}

TEST(RoundTrip, FillsInWhatIsLeftOfRenamedImports) {
  format::ModelProto message = small_message();
  message.mutable_opset_import(0)->set_domain("ai.onnx");
  add_unknown(*message.mutable_opset_import(0), 1);
  Model model = parse(message);
  EXPECT_EQ(model.opset(""), 21);
  model.opset_imports = {{"other", 1}, {"", 22}};
  format::ModelProto written;
  ASSERT_TRUE(written.ParseFromString(serialize_model(model)));
  EXPECT_EQ(written.opset_import(0).unknown_fields(), "");
  EXPECT_EQ(written.opset_import(1).domain(), "");
  EXPECT_EQ(written.opset_import(1).version(), 22);
  EXPECT_EQ(written.opset_import(1).unknown_fields(), message.opset_import(0).unknown_fields());
}

TEST(RoundTrip, WritesAReplacedAttributeWithoutTheOldTensor) {
  format::ModelProto message = small_message();
  AttributeProto& attribute = add_attribute(*message.mutable_graph()->mutable_node(0), "value", AttributeProto::TENSOR);
  fill(*attribute.mutable_t(), "old");
  Model model = parse(message);
  model.graph.nodes[0].attributes.set("value", std::int64_t{5});
  format::ModelProto written;
  ASSERT_TRUE(written.ParseFromString(serialize_model(model)));
  EXPECT_FALSE(written.graph().node(0).attribute(0).has_t());
  EXPECT_EQ(written.graph().node(0).attribute(0).i(), 5);
}

TEST(RoundTrip, ShrinksListsOfTensorsAndShapes) {
  const std::string bytes = everything().SerializeAsString();
  Model model = parse(bytes);
  model.graph.nodes[0].attributes.set("h_tensors", std::vector<Tensor>{});
  model.graph.inputs[0].type.shape->resize(1);
  format::ModelProto written;
  ASSERT_TRUE(written.ParseFromString(serialize_model(model)));
  EXPECT_EQ(written.graph().input(0).type().tensor_type().shape().dim_size(), 1);
}

TEST(ReadModel, TellsWhatItInterprets) {
  const Model model = parse(everything());
  EXPECT_EQ(model.ir_version, 14);
  EXPECT_EQ(model.producer_name, "producer");
  EXPECT_EQ(model.producer_version, "1.2");
  EXPECT_EQ(model.domain, "org.example");
  EXPECT_EQ(model.model_version, 3);
  EXPECT_EQ(model.doc, "about the model");
  EXPECT_EQ(model.opset("local"), 1);
  EXPECT_EQ(model.metadata, (Metadata{{"key of model", "model"}}));

  const Graph& graph = model.graph;
  ASSERT_EQ(graph.initializers.size(), 2);
  EXPECT_EQ(graph.initializers[0].name, "main_weights");
  EXPECT_EQ(graph.initializers[0].doc, "about main_weights");
  EXPECT_TRUE(graph.initializers[0].tensor.identical(Tensor::from<std::int8_t>({2}, {1, 2})));
  EXPECT_EQ(graph.initializers[1].name, "main_sparse");
  EXPECT_FALSE(graph.initializers[1].sparse.empty());

  const ValueType& image = graph.inputs.at(0).type;
  EXPECT_EQ(image.dtype, DType::kFloat);
  EXPECT_EQ(to_string(*image.shape), "[N,3,?]");
  EXPECT_EQ(image.denotation, "IMAGE");
  EXPECT_EQ(image.dim_denotations, (std::vector<std::string>{"DATA_BATCH", "", ""}));
  EXPECT_FALSE(graph.value_info.at(0).type.is_tensor());
  EXPECT_FALSE(graph.value_info.at(0).type.other.empty());
  EXPECT_EQ(graph.value_info.at(0).type.denotation, "a list");

  const Node& node = graph.nodes.at(0);
  EXPECT_EQ(node.name, "node");
  EXPECT_EQ(node.domain, "local");
  EXPECT_EQ(node.overload, "second");
  EXPECT_EQ(node.doc, "about node");
  EXPECT_EQ(node.inputs, (std::vector<std::string>{"main_in", ""}));
  EXPECT_EQ(node.attributes.size(), 8);
  EXPECT_EQ(node.attributes.get_float("a_float", 1), 0);
  EXPECT_EQ(node.attributes.get_int("b_int", 0), -1);
  EXPECT_EQ(node.attributes.get_string("c_string", ""), "\xFF");
  EXPECT_EQ(node.attributes.get_floats("e_floats"), std::vector<float>{0.5F});
  EXPECT_EQ(node.attributes.get_ints("f_ints", {1}), std::vector<std::int64_t>{});
  EXPECT_EQ(node.attributes.get_strings("g_strings"), std::vector<std::string>{""});
  EXPECT_EQ(node.subgraphs.at("i_graph").graphs.at(0).name, "subgraph");
  EXPECT_FALSE(node.subgraphs.at("i_graph").is_list);
  EXPECT_EQ(node.subgraphs.at("j_graphs").graphs.at(1).name, "second");
  EXPECT_TRUE(node.subgraphs.at("j_graphs").is_list);
  EXPECT_EQ(node.other_attributes.size(), 2);

  const Function& function = model.functions.at(0);
  EXPECT_EQ(function.name, "Everything");
  EXPECT_EQ(function.domain, "local");
  EXPECT_EQ(function.overload, "second");
  EXPECT_EQ(function.attributes, std::vector<std::string>{"required"});
  EXPECT_EQ(std::get<std::int64_t>(function.defaults.at("optional").value), 7);
  EXPECT_EQ(function.nodes.at(0).references.at("axis").of, "required");
  EXPECT_EQ(function.opset_imports.at(0).second, 17);
  EXPECT_EQ(function.value_info.at(0).name, "b");
}

TEST(ReadModel, CallsTheStandardDomainByItsEmptyName) {
  format::ModelProto message = small_message();
  message.mutable_opset_import(0)->set_domain("ai.onnx");
  message.mutable_graph()->mutable_node(0)->set_domain("ai.onnx");
  const Model model = parse(message);
  EXPECT_EQ(model.opset_imports.at(0).first, "");
  EXPECT_EQ(model.graph.nodes.at(0).domain, "");
}

TEST(ReadModel, TellsTheKindOfUntypedAttributesByTheirValue) {
  format::ModelProto message = small_message();
  message.set_ir_version(1);
  format::NodeProto& node = *message.mutable_graph()->mutable_node(0);
  const auto attribute = [&](const std::string& name) -> AttributeProto& {
    AttributeProto& added = *node.add_attribute();
    added.set_name(name);
    return added;
  };
  attribute("f").set_f(1);
  attribute("i").set_i(0);
  attribute("s").set_s("");
  fill(*attribute("t").mutable_t(), "t");
  fill_graph(*attribute("g").mutable_g(), "g");
  attribute("floats").add_floats(1);
  attribute("ints").add_ints(1);
  attribute("strings").add_strings("");
  fill(*attribute("tensors").add_tensors(), "t");
  fill_graph(*attribute("graphs").add_graphs(), "g");
  attribute("nothing");
  const Node read = parse(message).graph.nodes.at(0);
  EXPECT_EQ(read.attributes.find("f")->index(), 1);
  EXPECT_EQ(read.attributes.find("i")->index(), 0);
  EXPECT_EQ(read.attributes.find("s")->index(), 2);
  EXPECT_EQ(read.attributes.find("t")->index(), 3);
  EXPECT_EQ(read.attributes.find("ints")->index(), 4);
  EXPECT_EQ(read.attributes.find("floats")->index(), 5);
  EXPECT_EQ(read.attributes.find("strings")->index(), 6);
  EXPECT_EQ(read.attributes.find("tensors")->index(), 7);
  EXPECT_FALSE(read.subgraphs.at("g").is_list);
  EXPECT_TRUE(read.subgraphs.at("graphs").is_list);
  EXPECT_EQ(read.other_attributes.size(), 1);
}

TEST(ReadModel, TakesADimensionOfMinusOneAsUnknown) {
  format::ModelProto message = small_message();
  message.mutable_graph()
      ->mutable_input(0)
      ->mutable_type()
      ->mutable_tensor_type()
      ->mutable_shape()
      ->mutable_dim(0)
      ->set_dim_value(-1);
  EXPECT_EQ(to_string(*parse(message).graph.inputs.at(0).type.shape), "[?]");
}

TEST(ReadModel, KeepsElementTypesItDoesNotKnowAsTheyAre) {
  format::ModelProto message = small_message();
  message.mutable_graph()->mutable_input(0)->mutable_type()->mutable_tensor_type()->set_elem_type(27);
  const Model model = parse(message);
  EXPECT_FALSE(model.graph.inputs.at(0).type.is_tensor());
  EXPECT_TRUE(serialize_model(model) == message.SerializeAsString());
}

}  // namespace
}  // namespace octet
