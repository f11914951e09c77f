// tests/unit/report/holder_text_test.cpp: hand-written heaps in, the words for who holds their blocks out.
#include "analyze/heap/holder_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

#include "../retention/snapshot_builder.h"
#include "analyze/heap/retention.h"
#include "report/sentences.h"

namespace tenure::analyze {
namespace {

using ledger::NodeKind;
using testing::HasSubstr;

// Everything a test asks about one heap; the snapshot must outlive the graph.
class Heap {
 public:
  explicit Heap(const SnapshotBuilder& builder) : snapshot_(builder.snapshot()), graph_(snapshot_) {
    std::vector<uint32_t> all(snapshot_.buffers().size());
    std::iota(all.begin(), all.end(), 0);
    holders_ = holders_of(graph_, all, 0.02);
  }
  size_t count() const { return holders_.size(); }
  const Retention& first() const { return holders_.at(0); }
  Holder holder(size_t i = 0) const { return say_holder(graph_, holders_.at(i), "train.py"); }
  std::string text(size_t i = 0) const {
    return holders_.empty() ? "" : report::rendered(holder(i).text);
  }
  std::string fix() const { return report::rendered(fix_of_holder(graph_, first())); }

 private:
  ledger::Snapshot snapshot_;
  HeapGraph graph_;
  std::vector<Retention> holders_;
};

TEST(HolderWords, AGlobalListIsNamedWithItsModuleAndLength) {
  SnapshotBuilder b;
  uint32_t losses = b.container("list", 214);
  b.edge(b.module("__main__"), losses, "['losses']");
  b.fill(losses, 214);
  Heap heap(b);
  EXPECT_EQ(heap.text(), "global list `losses` of train.py (214 items)");
  EXPECT_EQ(heap.first().retention_kind, RetentionKind::python);
  EXPECT_EQ(heap.first().count, 214u);
}

// A result of a cell, as IPython keeps it; `name`: as the namespace calls it first.
Heap notebook_result(const char* name, bool is_in_out) {
  SnapshotBuilder b;
  uint32_t main = b.module("__main__");
  uint32_t result = b.container("list", 9), out = b.container("dict", 1);
  b.edge(main, result, "['" + std::string(name) + "']");
  if (is_in_out) {
    b.edge(main, out, "['_oh']");
    b.edge(out, result, "[5]");
  }
  b.fill(result, 9);
  return Heap(b);
}

TEST(HolderWords, AResultThatOnlyIPythonKeepsIsNamedByItsNumber) {
  for (const char* name : {"_", "__", "_5"}) {
    Heap heap = notebook_result(name, true);
    EXPECT_EQ(heap.text(), "list Out[5] of train.py (9 items)") << name;
    EXPECT_THAT(heap.fix(), HasSubstr("`%reset -f out`"));
  }
}

TEST(HolderWords, AResultWithANameHasBoth) {
  Heap heap = notebook_result("x", true);
  EXPECT_EQ(heap.text(), "global list `x` and Out[5] of train.py (9 items)");
  EXPECT_EQ(heap.fix(), "`del x` and then `%reset -f out` let go of it");
}

TEST(HolderWords, AnUnderscoreThatIsNoResultIsAVariableLikeOthers) {
  Heap heap = notebook_result("_", false);
  EXPECT_EQ(heap.text(), "global list `_` of train.py (9 items)");
  EXPECT_EQ(heap.fix(), "keep only what is needed later, or bound it");
}

TEST(HolderWords, TheLastErrorOfTheInterpreterIsCalledSo) {
  for (const char* label : {"['last_traceback']", "['last_value']"}) {
    SnapshotBuilder b;
    bool is_traceback = std::string_view(label) == "['last_traceback']";
    uint32_t traceback = b.object("traceback"), frame = b.object("frame", "fail()");
    uint32_t from = b.module("sys");
    if (!is_traceback) {
      uint32_t error = b.object("ValueError");
      b.edge(from, error, label);
      b.edge(error, traceback, ".__traceback__");
    } else {
      b.edge(from, traceback, label);
    }
    b.edge(traceback, frame, ".tb_frame");
    b.edge(frame, b.array(), " local `big`");
    Heap heap(b);
    EXPECT_EQ(heap.text(), "the traceback of the last error, local `big` of fail()") << label;
    EXPECT_THAT(heap.fix(), HasSubstr("the next error takes its place"));
  }
}

TEST(HolderWords, ThePathHasNamesAndTypes) {
  SnapshotBuilder b;
  uint32_t losses = b.container("list", 9);
  b.edge(b.module("__main__"), losses, "['losses']");
  b.fill(losses, 9);
  std::vector<HolderStep> path = Heap(b).holder().path;
  ASSERT_GE(path.size(), 2u);
  EXPECT_EQ(path[0].name, "__main__");
  EXPECT_EQ(path[1].name, "losses");
  EXPECT_EQ(path[1].type, "list");
}

// pipeline (local of main) -> Pipeline -> submitted -> Future -> array
SnapshotBuilder futures(bool has_dict) {
  SnapshotBuilder b;
  uint32_t main = b.frame("main() of program.py, thread MainThread");
  uint32_t push = b.frame("push() of program.py, thread MainThread");
  uint32_t pipeline = b.object("__main__.Pipeline");
  b.edge(push, pipeline, " local `self`");
  b.edge(main, pipeline, " local `pipeline`");
  uint32_t submitted = b.container("list", 160);
  b.edge(has_dict ? b.dict_of(pipeline) : pipeline, submitted,
         has_dict ? "['submitted']" : ".submitted");
  for (int i = 0; i < 160; ++i) {
    uint32_t future = b.object("concurrent.futures._base.Future");
    b.edge(submitted, future, "[" + std::to_string(i) + "]");
    b.edge(has_dict ? b.dict_of(future) : future, b.array(), has_dict ? "['_result']" : "._result");
  }
  return b;
}

TEST(HolderWords, AnAttributeIsNamedWithItsClassAndWhoHoldsTheObject) {
  const char* words =
      "attribute `submitted` of `Pipeline` (list of 160 Future), held by local `pipeline` of "
      "main()";
  EXPECT_EQ(Heap(futures(true)).text(), words);
  EXPECT_EQ(Heap(futures(false)).text(), words) << "attributes without a dictionary";
}

TEST(HolderWords, ADeepAttributeIsToldByItsDottedName) {
  SnapshotBuilder b;
  uint32_t trainer = b.object("m.Trainer"), loader = b.object("m.Loader");
  b.edge(b.module("__main__"), trainer, "['trainer']");
  b.edge(trainer, loader, ".loader");
  uint32_t cache = b.container("dict", 50);
  b.edge(loader, cache, ".cache");
  for (int i = 0; i < 50; ++i) b.edge(cache, b.array(), "['k" + std::to_string(i) + "']");
  EXPECT_EQ(Heap(b).text(),
            "attribute `cache` of `Loader` (dict, 50 items), held by global `trainer.loader` of "
            "train.py");
}

TEST(HolderWords, AClassAttributeIsNamedWithItsClass) {
  SnapshotBuilder b;
  uint32_t progress = b.namespace_of("type", "Progress");
  b.edge(b.module("__main__"), progress, "['Progress']");
  uint32_t listeners = b.container("list", 20);
  b.edge(b.dict_of(progress), listeners, "['listeners']");
  for (int i = 0; i < 20; ++i) {
    uint32_t function = b.object("function", "train_batch.<locals>.note"),
             cells = b.container("tuple", 1), cell = b.object("cell");
    b.edge(listeners, function, "[" + std::to_string(i) + "]");
    b.edge(function, cells, ".__closure__");
    b.edge(cells, cell, "[0]");
    b.edge(cell, b.array(), ".cell_contents");
  }
  EXPECT_EQ(Heap(b).text(), "class attribute `listeners` of `Progress` (list of 20 functions)");
}

TEST(HolderWords, AClosureIsNamedByItsFunction) {
  SnapshotBuilder b;
  uint32_t hook = b.object("function", "install.<locals>.hook"), cells = b.container("tuple", 1),
           cell = b.object("cell"), list = b.container("list", 20);
  b.edge(b.module("__main__"), hook, "['hook']");
  b.edge(hook, cells, ".__closure__");
  b.edge(cells, cell, " closure `saved`");
  b.edge(cell, list, ".cell_contents");
  b.fill(list, 20);
  EXPECT_EQ(Heap(b).text(),
            "`saved` in the closure of `install.<locals>.hook` (list, 20 items), held by global "
            "`hook` of train.py");
}

TEST(HolderWords, AnLruCacheIsNamedByItsFunction) {
  SnapshotBuilder b;
  uint32_t model = b.namespace_of("type", "Model");
  b.edge(b.module("__main__"), model, "['Model']");
  uint32_t cache = b.object("functools._lru_cache_wrapper", "Model.features"),
           table = b.container("dict", 30);
  b.edge(model, cache, ".features");
  b.edge(cache, table, "");
  for (int i = 0; i < 30; ++i) b.edge(table, b.array(), "");
  Heap heap(b);
  EXPECT_EQ(heap.text(), "lru_cache of `Model.features` (30 entries)");
  EXPECT_EQ(heap.fix(), "give the cache a maxsize");
}

TEST(HolderWords, TracebacksInAContainerNameTheLocalTheyKeep) {
  SnapshotBuilder b;
  uint32_t solver = b.object("__main__.BlockSolver"), problems = b.container("dict", 40);
  b.edge(b.frame("main() of program.py"), solver, " local `solver`");
  b.edge(b.dict_of(solver), problems, "['problems']");
  for (int i = 0; i < 40; ++i) {
    uint32_t info = b.container("tuple", 3), error = b.object("LinAlgError"),
             outer = b.object("traceback"), inner = b.object("traceback"),
             frame = b.namespace_of("frame", "solve_block() of program.py");
    b.edge(problems, info, "[" + std::to_string(i) + "]");
    b.edge(info, error, "[1]");
    b.edge(info, outer, "[2]");
    b.edge(error, outer, ".__traceback__");
    b.edge(outer, inner, ".tb_next");
    b.edge(inner, frame, ".tb_frame");
    b.edge(frame, b.array(), " local `matrix`");
  }
  Heap heap(b);
  EXPECT_EQ(heap.first().retention_kind, RetentionKind::frame);
  EXPECT_EQ(heap.text(),
            "tracebacks stored in attribute `problems` of `BlockSolver`, local `matrix` of "
            "solve_block(), held by local `solver` of main()");
  EXPECT_THAT(heap.fix(), HasSubstr("str(error)"));
}

TEST(HolderWords, OneStoredErrorNamesItsTypeAndTheLocal) {
  SnapshotBuilder b;
  uint32_t error = b.object("ValueError"), traceback = b.object("traceback"),
           frame = b.namespace_of("frame", "step() of train.py"), batch = b.container("list", 20);
  b.edge(b.module("__main__"), error, "['last_error']");
  b.edge(error, traceback, ".__traceback__");
  b.edge(traceback, frame, ".tb_frame");
  b.edge(frame, batch, " local `batch`");
  b.fill(batch, 20);
  EXPECT_EQ(Heap(b).text(),
            "traceback of the stored ValueError in global `last_error` of train.py, local `batch` "
            "of step()");
}

TEST(HolderWords, SmallViewsAreToldAsViews) {
  for (uint32_t shown : {80u, 100000u}) {
    SnapshotBuilder b;
    uint32_t heads = b.container("list", 12);
    b.edge(b.module("__main__"), heads, "['heads']");
    for (int i = 0; i < 12; ++i) {
      uint32_t view = b.object("numpy.ndarray");
      b.set_size(view, shown);
      b.edge(heads, view, "[" + std::to_string(i) + "]");
      uint32_t base = b.array(100000);
      b.set_size(base, 100000);
      b.edge(view, base, ".base");
    }
    bool is_small = shown < 100000;
    EXPECT_EQ(Heap(b).first().retention_kind,
              is_small ? RetentionKind::view : RetentionKind::python);
    EXPECT_EQ(Heap(b).text(), std::string(is_small ? "views in " : "") +
                                  "global list `heads` of train.py (12 items)");
  }
}

TEST(HolderWords, CyclicGarbageNamesTheCycle) {
  SnapshotBuilder b;
  uint32_t garbage = b.root(NodeKind::garbage_root);
  for (int i = 0; i < 30; ++i) {
    uint32_t parent = b.object("m.Tree"), child = b.object("m.Leaf");
    b.edge(garbage, parent, "");
    b.edge(parent, child, ".leaf");
    b.edge(b.dict_of(child), parent, "['tree']");
    b.edge(parent, b.array(), ".data");
  }
  Heap heap(b);
  EXPECT_EQ(heap.first().retention_kind, RetentionKind::cycle);
  EXPECT_EQ(heap.text(), "cyclic garbage (Tree.leaf -> Leaf.tree), waits for gc");
  EXPECT_THAT(heap.fix(), HasSubstr("weakref"));
}

TEST(HolderWords, ACycleThroughAnObjectArrayIsOutOfReachOfGc) {
  SnapshotBuilder b;
  uint32_t garbage = b.root(NodeKind::garbage_root);
  for (int i = 0; i < 30; ++i) {
    uint32_t lattice = b.object("m.Lattice"), cells = b.array(1152, 2), cell = b.object("m.Cell");
    b.edge(garbage, lattice, "");
    b.edge(lattice, cells, ".cells");
    b.edge(cells, cell, "[0]");
    b.edge(cell, lattice, ".lattice");
    b.edge(lattice, b.array(460800), ".field");
  }
  EXPECT_EQ(Heap(b).text(),
            "cycle (Cell.lattice -> Lattice.cells) through an array, which gc cannot see");
}

TEST(HolderWords, NativeHoldersSayWhatTheyHold) {
  SnapshotBuilder b;
  uint32_t native = b.root(NodeKind::native_root);
  for (int i = 0; i < 30; ++i) b.edge(native, b.array(1000, 1, "torch.Tensor"), "");
  Heap heap(b);
  EXPECT_EQ(heap.first().retention_kind, RetentionKind::native);
  EXPECT_EQ(heap.text(), "native code holds 30 Tensor; no Python name leads there");
}

TEST(HolderWords, AContainerThatOnlyNativeCodeHoldsIsStillPythons) {
  SnapshotBuilder b;
  uint32_t native = b.root(NodeKind::native_root), buffers = b.container("dict", 30),
           space = b.container("dict", 1);
  b.edge(native, space, "");
  b.edge(space, buffers, "['buffers']");
  for (int i = 0; i < 30; ++i) b.edge(buffers, b.array(), "[(3, 4)]");
  Heap heap(b);
  EXPECT_EQ(heap.first().retention_kind, RetentionKind::python);
  EXPECT_THAT(heap.text(), HasSubstr("held by native code"));
  EXPECT_EQ(heap.holder().path.at(1).name, "['buffers']");
}

TEST(HolderWords, AThreadLocalSaysSo) {
  SnapshotBuilder b;
  uint32_t local = b.object("_thread._local"), buffers = b.container("dict", 30);
  b.edge(b.module("__main__"), local, "['_scratch']");
  uint32_t threads = b.container("dict", 1), values = b.container("dict", 1);
  b.edge(local, threads, " thread-local values");
  b.edge(threads, values, "[<weakref>]");
  b.edge(values, buffers, "['buffers']");
  for (int i = 0; i < 30; ++i) b.edge(buffers, b.array(), "[(3, 4)]");
  EXPECT_THAT(Heap(b).text(), HasSubstr("thread-local dict `buffers` of `_scratch`"));
}

TEST(HolderWords, BlocksUnderTwoNamesAreToldUnderBoth) {
  SnapshotBuilder b;
  uint32_t globals = b.module("__main__"), queue = b.container("list", 60),
           cache = b.container("dict", 60);
  b.edge(globals, queue, "['queue']");
  b.edge(globals, cache, "['cache']");
  for (int i = 0; i < 60; ++i) {
    uint32_t array = b.array();
    b.edge(queue, array, "[" + std::to_string(i) + "]");
    b.edge(cache, array, "['" + std::to_string(i) + "']");
  }
  Heap heap(b);
  ASSERT_EQ(heap.count(), 1u);
  EXPECT_EQ(heap.first().count, 60u);
  EXPECT_EQ(heap.text(),
            "held by global `queue` of train.py and global `cache` of train.py at once");
}

TEST(HolderWords, RecordsUnderTwoNamesAreToldUnderBoth) {
  SnapshotBuilder b;
  uint32_t globals = b.module("__main__"), queue = b.container("list", 10),
           cache = b.container("dict", 10);
  b.edge(globals, queue, "['queue']");
  b.edge(globals, cache, "['cache']");
  for (int i = 0; i < 10; ++i) {
    uint32_t record = b.object("m.Record");
    b.edge(queue, record, "[" + std::to_string(i) + "]");
    b.edge(cache, record, "['" + std::to_string(i) + "']");
    b.edge(b.dict_of(record), b.array(), "['data']");
  }
  Heap heap(b);
  ASSERT_EQ(heap.count(), 1u);
  EXPECT_THAT(heap.text(), HasSubstr("`queue`"));
  EXPECT_THAT(heap.text(), HasSubstr("`cache`"));
}

TEST(HolderWords, ANamespaceIsSplitByNameLargestFirst) {
  SnapshotBuilder b;
  uint32_t globals = b.module("__main__"), many = b.container("list", 60),
           few = b.container("list", 40);
  b.edge(globals, few, "['few']");
  b.edge(globals, many, "['many']");
  b.fill(few, 40);
  b.fill(many, 60);
  Heap heap(b);
  ASSERT_EQ(heap.count(), 2u);
  EXPECT_THAT(heap.text(0), HasSubstr("`many`"));
  EXPECT_THAT(heap.text(1), HasSubstr("`few`"));
}

TEST(HolderWords, AListThatIsGlobalAndLocalIsToldAsGlobal) {
  SnapshotBuilder b;
  uint32_t losses = b.container("list", 30);
  b.edge(b.frame("log() of train.py"), losses, " local `values`");
  b.edge(b.module("__main__"), losses, "['losses']");
  b.fill(losses, 30);
  EXPECT_EQ(Heap(b).text(), "global list `losses` of train.py (30 items)");
}

TEST(HolderWords, AListThatAnInnerFunctionFillsIsToldByItsLocalName) {
  SnapshotBuilder b;
  uint32_t tokens = b.container("list", 30), cell = b.object("cell");
  uint32_t main = b.frame("main() of train.py");
  b.edge(main, cell, " local `tokens`");
  b.edge(cell, tokens, ".cell_contents");
  b.fill(tokens, 30);
  EXPECT_EQ(Heap(b).text(), "local list `tokens` of main() (30 items)");
}

// `self.weights.append(make())`: while make() runs, the list is on the interpreter's stack too.
TEST(HolderWords, AListThatAStatementHasInHandIsToldByItsName) {
  SnapshotBuilder b;
  uint32_t recorder = b.object("Recorder"), weights = b.container("list", 20);
  b.edge(recorder, weights, ".weights");
  uint32_t hook = b.frame("Recorder.hook() of train.py");
  b.edge(hook, recorder, " local `self`");
  b.edge(hook, weights, " temporary");
  b.edge(b.frame("main() of train.py"), recorder, " local `recorder`");
  b.fill(weights, 20);
  EXPECT_THAT(Heap(b).text(), HasSubstr("attribute `weights` of `Recorder`"));
}

TEST(HolderWords, AnArrayWithANameOfItsOwnIsTheHolder) {
  SnapshotBuilder b;
  b.edge(b.module("__main__"), b.array(100000), "['history']");
  EXPECT_EQ(Heap(b).text(), "global ndarray `history` of train.py");
}

TEST(HolderWords, ALinkedListIsToldByItsHead) {
  SnapshotBuilder b;
  uint32_t last = b.object("m.Node");
  b.edge(b.module("__main__"), last, "['head']");
  b.edge(last, b.array(), ".data");
  for (int i = 0; i < 200; ++i) {
    uint32_t node = b.object("m.Node");
    b.edge(last, node, ".next");
    b.edge(node, b.array(), ".data");
    last = node;
  }
  EXPECT_EQ(Heap(b).text(), "global `head` of train.py");
}

TEST(HolderWords, UnknownLabelsLeaveTheTypes) {
  SnapshotBuilder b;
  uint32_t thing = b.object("m.Registry"), list = b.container("list", 20);
  b.edge(b.module("__main__"), thing, "");
  b.edge(thing, list, "");
  for (int i = 0; i < 20; ++i) b.edge(list, b.array(), "");
  EXPECT_EQ(Heap(b).text(), "list (list, 20 items), held by train.py");
}

TEST(HolderWords, AnyTextIsAtMost160CharactersLong) {
  SnapshotBuilder b;
  std::string name(300, 'x');
  uint32_t object = b.object("m." + name), list = b.container("list", 20);
  b.edge(b.module(name), object, "['" + name + "']");
  b.edge(object, list, "." + name);
  b.fill(list, 20);
  EXPECT_EQ(Heap(b).text().size(), 160u);
}

TEST(Retention, ABoundedDequeIsBoundedAlsoWhenHalfFull) {
  for (uint32_t bound : {0u, 40u, 80u}) {
    SnapshotBuilder b;
    uint32_t recent = b.container("collections.deque", 40, bound);
    b.edge(b.module("__main__"), recent, "['recent']");
    b.fill(recent, 40);
    EXPECT_EQ(Heap(b).first().bound.limit, bound) << bound;
  }
}

TEST(Retention, AnLruCacheWithAMaxsizeIsBounded) {
  SnapshotBuilder b;
  uint32_t cache = b.container("functools._lru_cache_wrapper", 0, 128),
           table = b.container("dict", 30);
  b.edge(b.module("__main__"), cache, "['features']");
  b.edge(cache, table, "");
  for (int i = 0; i < 30; ++i) b.edge(table, b.array(), "");
  EXPECT_GT(Heap(b).first().bound.limit, 0u);
}

TEST(Retention, AGrowingListOfBoundedDequesIsNotBounded) {
  SnapshotBuilder b;
  uint32_t list = b.container("list", 50);
  b.edge(b.module("__main__"), list, "['windows']");
  for (int i = 0; i < 50; ++i) {
    uint32_t window = b.container("collections.deque", 2, 2);
    b.edge(list, window, "[" + std::to_string(i) + "]");
    b.fill(window, 2);
  }
  EXPECT_EQ(Heap(b).first().bound.limit, 0u);
}

TEST(Retention, AFewBoundedDequesInADictAreBounded) {
  SnapshotBuilder b;
  uint32_t dict = b.container("dict", 3);
  b.edge(b.module("__main__"), dict, "['windows']");
  for (int i = 0; i < 3; ++i) {
    uint32_t window = b.container("collections.deque", 20, 20);
    b.edge(dict, window, "['" + std::to_string(i) + "']");
    b.fill(window, 20);
  }
  EXPECT_GT(Heap(b).first().bound.limit, 0u);
}

}  // namespace
}  // namespace tenure::analyze
